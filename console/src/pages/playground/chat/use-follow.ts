import { type RefObject, useEffect, useRef } from "react"

/** Maximum distance in pixels that counts as being at the end. */
const NEAR = 160

/**
 * Scrolls to the end while the content grows, unless the reader has scrolled away. A new item always scrolls to the
 * end, because the reader has just requested it.
 * @returns a ref for the element at the end of the content.
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
    // In a hidden tab, the page must not scroll.
    if (end.current === null || end.current.offsetParent === null) return
    if (items.length > count.current) isNear.current = true
    count.current = items.length
    if (isNear.current) window.scrollTo({ top: document.documentElement.scrollHeight })
  }, [items])
  return end
}
