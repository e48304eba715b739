import { type RefCallback, useCallback, useLayoutEffect, useRef, useState } from "react"

export interface Fits {
  /** For the element around the table. */
  readonly ref: RefCallback<HTMLDivElement>
  /** Which of the forms is the first that has room; as many as there are: none. */
  readonly form: number
}

/**
 * Which form of a table has room, known before it is drawn and followed while the window changes. The window's width would
 * not do: the navigation takes its part of it, and what stands in the rows may need more than was thought.
 * @param least what each form needs at least, the widest first, CSS pixels.
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
    // The room as it is now: that of the last look may be without a scrollbar that has come since, or with one that has gone.
    // Half a pixel may be lost in rounding.
    if (width <= (place.current?.clientWidth ?? 0) + 1) return
    setNeeded((before) =>
      before[form] === width
        ? before
        : least.map((_, index) => (index === form ? width : (before[index] ?? 0))),
    )
  })
  return { ref, form }
}
