import { useDeferredValue } from "react"

/** As many as fill a screen. */
const FIRST_ROWS = 40

/** A long table shows its first rows at once, and the others when there is time: drawing hundreds takes most of a second. */
export function useFirstRows<Row>(rows: readonly Row[]): readonly Row[] {
  const first = rows.slice(0, FIRST_ROWS)
  const shown = useDeferredValue(rows, first)
  if (rows.length <= FIRST_ROWS) return rows
  return shown.length === 0 ? first : shown
}
