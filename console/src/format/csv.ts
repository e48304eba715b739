import { csvRow, defused } from "tollgate-contract/csv.ts"
import { roughCredits } from "./credits.ts"

export type Cell = string | number

/**
 * Formats rows as a CSV file. Texts that a spreadsheet would read as formulas are escaped, but not negative amounts.
 */
export function csvText(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => csvRow(cells.map(textOf))).join("")
}

function textOf(value: Cell): string {
  const text = String(value)
  return Number.isNaN(roughCredits(text)) ? defused(text) : text
}
