import { type RefObject, useEffect, useRef } from "react"

/** So near to the end counts as being at it, pixels. */
const NEAR = 160

/**
 * Keeps the end in sight while something grows, unless the reader has scrolled away from it. Each new
 * item brings it into sight in any case: the reader has just asked for it.
 * @returns for the element at the end.
 */
export function useFollow(items: readonly unknown[]): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const isNear = useRef(true)
  const count = useRef(items.length)
  useEffect(() => {
    function look() {
      const { scrollHeight } = document.documentElement
      isNear.current = scrollHeight - window.scrollY - window.innerHeight < NEAR
    }
    window.addEventListener("scroll", look, { passive: true })
    return () => window.removeEventListener("scroll", look)
  }, [])
  useEffect(() => {
    // Hidden, it does not move the page under another tab.
    if (end.current === null || end.current.offsetParent === null) return
    if (items.length > count.current) isNear.current = true
    count.current = items.length
    if (isNear.current) window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [items])
  return end
}
