import { type RefObject, useLayoutEffect, useRef } from "react"

/** For the table whose amounts are aligned, each time it is drawn. */
export function useAlignedPoints(): RefObject<HTMLTableElement | null> {
  const table = useRef<HTMLTableElement>(null)
  useLayoutEffect(() => {
    if (table.current !== null) alignPoints(table.current)
  })
  return table
}

/**
 * Puts the points of the amounts in each column of a table below each other: a fraction that is shorter than the longest
 * one of its column takes the room of the zeros that it lacks.
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
