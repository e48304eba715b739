import { roughCredits } from "./credits.ts"

type Cell = string | number

/** Formats rows as a CSV file. Cells are escaped so that no spreadsheet reads them as formulas. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => cells.map(csvCell).join(",")).join("\r\n")
}

function csvCell(value: Cell): string {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(roughCredits(text)) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Downloads rows as a file with the given name. */
export function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  const address = URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
