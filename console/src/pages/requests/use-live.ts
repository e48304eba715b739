import { useDocumentVisibility } from "@mantine/hooks"
import { useEffect, useState } from "react"

const NEAR_THE_TOP = 240

/** Reports whether the reader is at the top of the page. Live updates would move the list for a reader further down. */
export function useIsAtTop(): boolean {
  const visibility = useDocumentVisibility()
  const [isNear, setNear] = useState(true)
  useEffect(() => {
    const look = () => setNear(window.scrollY < NEAR_THE_TOP)
    look()
    window.addEventListener("scroll", look, { passive: true })
    return () => window.removeEventListener("scroll", look)
  }, [])
  return isNear && visibility === "visible"
}
