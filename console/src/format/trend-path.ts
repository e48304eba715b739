/**
 * Returns an SVG path through values. Each value is in the middle of a column one unit wide, and `top` is one unit
 * high. The line is broken at missing values.
 */
export function trendPath(values: readonly (number | null)[], top: number): string {
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const isFirst = (values[index - 1] ?? null) === null
      return `${isFirst ? "M" : "L"}${index + 0.5} ${(1 - value / top).toFixed(4)}`
    })
    .join("")
}
