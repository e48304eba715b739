import { type Cell, csvText } from "../format/csv.ts"

/** Downloads rows as a file with the given name. */
export function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  const address = URL.createObjectURL(new Blob([csvText(rows)], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
