/** The median of values, and their range. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
  /** Whether other processes disturbed most of the measured rounds. */
  readonly isNoisy?: boolean
}

/**
 * Returns the value below which the given share of the values lies.
 * @throws RangeError if there are no values.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (found === undefined) throw new RangeError("no values")
  return found
}

/** Returns the median. For an even number of values, it is the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  if (upper === undefined || lower === undefined) throw new RangeError("no values")
  return (lower + upper) / 2
}

/**
 * Returns the median, the lowest and the highest value.
 * @throws RangeError if there are no values.
 */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) }
}
