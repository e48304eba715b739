import { useCallback, useLayoutEffect, useRef } from "react"

/** A function that stays the same and does what the latest one does, so that what is given it is not drawn again. */
export function useStable<Argument>(
  latest: ((argument: Argument) => void) | undefined,
): (argument: Argument) => void {
  const current = useRef(latest)
  useLayoutEffect(() => {
    current.current = latest
  })
  return useCallback((argument: Argument) => current.current?.(argument), [])
}
