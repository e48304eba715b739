/** Formats a row of CSV (RFC 4180). */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/**
 * Prevents user-supplied text from becoming a formula. Spreadsheets evaluate text that starts with these characters,
 * including their full-width forms.
 */
export function defused(text: string): string {
  return /^[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text
}
