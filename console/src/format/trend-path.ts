/**
 * Returns an SVG path through values: each moment is one unit wide with its value in the middle,
 * and `top` is one unit high. The line is broken at missing values.
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
