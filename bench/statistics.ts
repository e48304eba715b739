/** A median and the range of the values. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** Returns the value below which a share of the values lies. @throws RangeError if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (found === undefined) throw new RangeError("no values")
  return found
}

/** Returns the middle value; the mean of the two middle ones if their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  if (upper === undefined || lower === undefined) throw new RangeError("no values")
  return (lower + upper) / 2
}

/** Returns median, lowest and highest. @throws RangeError if there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) }
}
