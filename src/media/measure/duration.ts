/** The duration of audio or video. */
export interface Duration {
  /** Duration in seconds, as exact as the frames and timestamps allow. */
  readonly seconds: number
  /** Upper bound in seconds, from the frames and from all durations that the file claims. */
  readonly maxSeconds: number
  readonly hasVideo: boolean
}

/** A minimum and a maximum, usually in seconds. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** Maximum number of parts of a file that are counted. Legitimate files have fewer. */
export const MAX_PARTS = 5_000_000

/** The error for a file with too many parts, or with a structure that is too deep. */
export class TooManyParts extends Error {
  override readonly name = "TooManyParts"
}

/**
 * Returns the duration of audio from its frames and from the duration that the file claims. A claim can only raise the
 * bound.
 * @param counted the duration of the frames in seconds.
 * @param claimed the claimed duration in seconds.
 */
export function audioDuration(counted: Range, claimed: number): Duration {
  const claim = Number.isFinite(claimed) && claimed > 0 ? claimed : 0
  const seconds = claim === 0 ? counted.min : Math.min(Math.max(claim, counted.min), counted.max)
  return { seconds, maxSeconds: Math.max(counted.max, claim), hasVideo: false }
}
