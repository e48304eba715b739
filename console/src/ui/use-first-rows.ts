import { useDeferredValue } from "react"

/** Enough rows to fill a screen. */
const FIRST_ROWS = 40

/**
 * Renders the first rows of a long table immediately and the rest when the browser is idle:
 * hundreds of rows take most of a second.
 */
export function useFirstRows<Row>(rows: readonly Row[]): readonly Row[] {
  const first = rows.slice(0, FIRST_ROWS)
  const shown = useDeferredValue(rows, first)
  if (rows.length <= FIRST_ROWS) return rows
  return shown.length === 0 ? first : shown
}
