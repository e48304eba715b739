import { roughCredits } from "./credits.ts"

type Cell = string | number

/** Rows as a file for a spreadsheet. No cell begins as a formula does. */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => cells.map(csvCell).join(",")).join("\r\n")
}

function csvCell(value: Cell): string {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(roughCredits(text)) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lets the browser save rows under a name. */
export function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  const address = URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
