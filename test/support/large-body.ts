/** A body that consists mainly of a repeated part. */
export interface LargeBody {
  readonly before: string
  /** The repeated part. Each `#` is replaced by the number of the repetition. */
  readonly repeated: string
  readonly separator: string
  readonly after: string
  /** Maximum size in bytes. */
  readonly size: number
  /** Maximum number of repetitions. */
  readonly count: number
}

/** Returns the text of a body. */
export function largeText({ before, repeated, separator, after, size, count }: LargeBody): string {
  const isNumbered = repeated.includes("#")
  const room = size - before.length - after.length
  const length = repeated.length + separator.length + (isNumbered ? 6 : 0)
  const times = Math.max(1, Math.min(count, Math.floor(room / length)))
  if (!isNumbered) return before + (repeated + separator).repeat(times - 1) + repeated + after
  const parts = Array.from({ length: times }, (_, index) => repeated.replaceAll("#", String(index)))
  return before + parts.join(separator) + after
}
