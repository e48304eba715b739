import { useEffect, useState } from "react"

/** The time of now, unix milliseconds, made again as often as is asked for. */
export function useNow(everyMilliseconds: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMilliseconds)
    return () => clearInterval(timer)
  }, [everyMilliseconds])
  return now
}
