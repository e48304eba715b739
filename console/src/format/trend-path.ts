/**
 * A line through values as an SVG path: a moment is one unit wide, with its value in its middle, and `top` one unit high.
 * It is broken where there is no value.
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
