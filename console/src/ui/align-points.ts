import { type RefObject, useLayoutEffect, useRef } from "react"

/** Returns a ref for a table. The amounts in the table are aligned after each render. */
export function useAlignedPoints(): RefObject<HTMLTableElement | null> {
  const table = useRef<HTMLTableElement>(null)
  useLayoutEffect(() => {
    if (table.current !== null) alignPoints(table.current)
  })
  return table
}

/**
 * Aligns the decimal points of the amounts in each column of a table. Amounts with fewer decimals get padding as wide
 * as the missing digits.
 */
function alignPoints(table: HTMLTableElement): void {
  const columns = new Map<number, HTMLElement[]>()
  for (const fraction of table.querySelectorAll<HTMLElement>("td .fraction")) {
    const column = fraction.closest("td")?.cellIndex ?? 0
    const others = columns.get(column)
    if (others === undefined) columns.set(column, [fraction])
    else others.push(fraction)
  }
  for (const fractions of columns.values()) {
    const longest = fractions.reduce((most, fraction) => Math.max(most, digitsOf(fraction)), 0)
    for (const fraction of fractions) {
      const missing = "0".repeat(longest - digitsOf(fraction))
      if ((fraction.dataset["missing"] ?? "") !== missing) fraction.dataset["missing"] = missing
    }
  }
}

function digitsOf({ textContent }: HTMLElement): number {
  return textContent.length
}
