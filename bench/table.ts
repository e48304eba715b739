/** Formats rows of text as columns. The first column is aligned to the left, and the others to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    }
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join("  ")
      .trimEnd(),
  )
  const [head = "", ...rest] = lines
  const rule = "-".repeat(Math.max(...lines.map((line) => line.length)))
  return [head, rule, ...rest].join("\n")
}

/** Formats a number with about three significant digits. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-"
  const size = Math.abs(value)
  if (size >= 100) return value.toFixed(0)
  return value.toFixed(size >= 10 ? 1 : 2)
}
