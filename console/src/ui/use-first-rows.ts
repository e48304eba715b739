import { useDeferredValue } from "react"

/** Number of rows rendered immediately, which is enough to fill a screen. */
const FIRST_ROWS = 40

/**
 * Renders the first rows of a long table immediately and the other rows when the browser is idle. Rendering hundreds of
 * rows takes most of a second.
 */
export function useFirstRows<Row>(rows: readonly Row[]): readonly Row[] {
  const first = rows.slice(0, FIRST_ROWS)
  const shown = useDeferredValue(rows, first)
  if (rows.length <= FIRST_ROWS) return rows
  return shown.length === 0 ? first : shown
}
