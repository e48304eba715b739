/** The duration of audio or video. */
export interface Duration {
  /** As exact as the frames and timestamps allow. */
  readonly seconds: number
  /** Upper bound from its frames and from all claims of the file. */
  readonly maxSeconds: number
  readonly hasVideo: boolean
}

/** Minimum and maximum seconds. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** Maximum number of counted parts of a file; legitimate files have fewer. */
export const MAX_PARTS = 5_000_000

/** The error for a file with too many parts, or with too deep a structure. */
export class TooManyParts extends Error {
  override readonly name = "TooManyParts"
}

/**
 * Returns the duration of audio from the duration of its frames and the claims of the file. A claim
 * only ever raises the bound.
 * @param counted the duration of the frames.
 */
export function audioDuration(counted: Range, claimed: number): Duration {
  const claim = Number.isFinite(claimed) && claimed > 0 ? claimed : 0
  const seconds = claim === 0 ? counted.min : Math.min(Math.max(claim, counted.min), counted.max)
  return { seconds, maxSeconds: Math.max(counted.max, claim), hasVideo: false }
}
