import { csvRow, defused } from "#contract/csv.ts"
import type { ExportedRow, ExportedTable } from "../../management/export/exported-table.ts"

/** A file format for rows. */
export interface RowsFormat {
  /** The extension of the file name. */
  readonly extension: string
  /** Returns the text before the first row. */
  head(table: ExportedTable): string
  row(row: ExportedRow, table: ExportedTable): string
}

const JSON_LINES: RowsFormat = {
  extension: "jsonl",
  head: () => "",
  row: (row) => `${JSON.stringify(row)}\n`,
}

const CSV: RowsFormat = {
  extension: "csv",
  head: ({ columns }) => csvRow(columns),
  row: (row, { columns }) => csvRow(columns.map((column) => cellOf(row[column]))),
}

export const FORMATS: Readonly<Record<string, RowsFormat>> = { jsonl: JSON_LINES, csv: CSV }

const DECIMAL = /^-?\d+(\.\d+)?$/

/** Formats a cell. Lists and tables become JSON, and null becomes empty text. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ""
  if (typeof value === "object") return JSON.stringify(value)
  const text = String(value)
  return DECIMAL.test(text) ? text : defused(text)
}
