/** One row of CSV (RFC 4180). */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/**
 * A text that people or callers have written, as no formula: spreadsheets treat a text that starts like this as one, in
 * full-width characters too.
 */
export function defused(text: string): string {
  return /^[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text
}
