import { useCallback, useLayoutEffect, useRef } from "react"

/**
 * Returns a function with a stable identity that calls the latest function, so that components
 * receiving it do not rerender.
 */
export function useStable<Argument>(
  latest: ((argument: Argument) => void) | undefined,
): (argument: Argument) => void {
  const current = useRef(latest)
  useLayoutEffect(() => {
    current.current = latest
  })
  return useCallback((argument: Argument) => current.current?.(argument), [])
}
