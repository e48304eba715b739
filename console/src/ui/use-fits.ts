import { type RefCallback, useCallback, useLayoutEffect, useRef, useState } from "react"

export interface Fits {
  /** For the element around the table. */
  readonly ref: RefCallback<HTMLDivElement>
  readonly fits: boolean
}

/**
 * Whether all columns of a table have room, known before it is drawn and followed while the window changes. The window's
 * width would not do: the navigation takes its part of it, and what stands in the rows may need more than was thought.
 * @param least what the table needs at least, CSS pixels.
 */
export function useFits(least: number): Fits {
  const place = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  const [needed, setNeeded] = useState(least)
  const ref = useCallback((element: HTMLDivElement | null) => {
    place.current = element
    if (element === null) return undefined
    const look = () => setRoom(element.clientWidth)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const width = place.current?.querySelector("table")?.offsetWidth ?? 0
    // The room as it is now: that of the last look may be without a scrollbar that has come since, or with one that has gone.
    // Half a pixel may be lost in rounding.
    if (width > (place.current?.clientWidth ?? 0) + 1) setNeeded(width)
  })
  return { ref, fits: room >= needed }
}
