/** Maps values to positions on an axis. */
export interface Scale {
  /** Returns 0 for the beginning of the axis and 1 for its end. */
  position(value: number): number
  /** Round values at which the axis has ticks. */
  readonly ticks: readonly number[]
}

const MAX_TICKS = 6

/**
 * Returns a logarithmic scale with powers of ten, for values of different magnitude.
 * @throws RangeError if a value is not above zero.
 */
export function logScale(values: readonly number[]): Scale {
  if (values.length === 0 || values.some((value) => !(value > 0))) {
    throw new RangeError("a logarithmic scale takes values above zero")
  }
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))))
  return {
    position: (value) => (Math.log10(value) - first) / (last - first),
    ticks: Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)),
  }
}

/**
 * Returns a linear scale with round steps from zero.
 * @throws RangeError if there are no values.
 */
export function linearScale(values: readonly number[]): Scale {
  if (values.length === 0) throw new RangeError("no values")
  const step = roundStep(Math.max(...values, 0) / (MAX_TICKS - 1))
  const count = Math.max(1, Math.ceil(Math.max(...values) / step))
  return {
    position: (value) => value / (step * count),
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
  }
}

/** Returns the first of 1, 2, 5, 10, 20, 50 and so on that is not below the minimum. */
function roundStep(least: number): number {
  if (!(least > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  return (([1, 2, 5].find((factor) => factor * power >= least) ?? 10) as number) * power
}
