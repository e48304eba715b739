import { useCallback, useLayoutEffect, useRef } from "react"

/**
 * Returns a function that stays the same object and calls the latest function. Components that receive it do not render
 * again.
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
