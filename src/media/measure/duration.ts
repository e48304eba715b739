/** How long audio or video is, in seconds. */
export interface Duration {
  /** As exactly as the frames and timestamps allow. */
  readonly seconds: number
  /** What it can be at most: by its frames, and by everything that the file claims. */
  readonly maxSeconds: number
  readonly hasVideo: boolean
}

/** Minimum and maximum seconds. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** Parts of a file that are counted at most: more is not an honest file. */
export const MAX_PARTS = 5_000_000

/** A file has more parts than are counted, or too deep a structure. */
export class TooManyParts extends Error {
  override readonly name = "TooManyParts"
}

/**
 * The duration of audio from what its frames play and what the file claims. A claim only ever raises the bound.
 * @param counted the duration of the frames.
 */
export function audioDuration(counted: Range, claimed: number): Duration {
  const claim = Number.isFinite(claimed) && claimed > 0 ? claimed : 0
  const seconds = claim === 0 ? counted.min : Math.min(Math.max(claim, counted.min), counted.max)
  return { seconds, maxSeconds: Math.max(counted.max, claim), hasVideo: false }
}
