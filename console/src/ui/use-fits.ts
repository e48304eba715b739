import { type RefCallback, useCallback, useLayoutEffect, useRef, useState } from "react"

export interface Fits {
  /** A ref for the element around the table. */
  readonly ref: RefCallback<HTMLDivElement>
  /** Index of the widest form that fits. If no form fits, the number of forms. */
  readonly form: number
}

/**
 * Determines which form of a table fits, before the table is rendered and when the window is resized. The width of the
 * window is not enough, because the navigation uses part of it and rows may need more space than estimated.
 * @param least minimum widths of the forms in CSS pixels, widest first.
 */
export function useFits(least: readonly number[]): Fits {
  const place = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  const [needed, setNeeded] = useState<readonly number[]>([])
  const ref = useCallback((element: HTMLDivElement | null) => {
    place.current = element
    if (element === null) return undefined
    const look = () => setRoom(element.clientWidth)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const found = least.findIndex((width, form) => room >= Math.max(width, needed[form] ?? 0))
  const form = found === -1 ? least.length : found
  useLayoutEffect(() => {
    const width = place.current?.querySelector("table")?.offsetWidth ?? 0
    // Uses the current width, because a scrollbar may have appeared or disappeared since the last measurement. Rounding
    // may cost half a pixel.
    if (width <= (place.current?.clientWidth ?? 0) + 1) return
    setNeeded((before) =>
      before[form] === width
        ? before
        : least.map((_, index) => (index === form ? width : (before[index] ?? 0))),
    )
  })
  return { ref, form }
}
