import { useDocumentVisibility } from "@mantine/hooks"
import { useEffect, useState } from "react"

const NEAR_THE_TOP = 240

/** Whether the reader looks at the top of the page: a list that moves under their eyes would be in the way. */
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
