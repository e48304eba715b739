import { useEffect } from "react"
import { gatewayPath } from "../base-path.ts"

const POLL_INTERVAL_MS = 3_000
/**
 * The storage name for the time of this tab's last automatic reload. Without it, a permanently missing module would
 * cause a reload loop.
 */
const LAST_RELOAD_KEY = "tollgate-loaded-again"
const MIN_RELOAD_INTERVAL_MS = 60_000

/** Reloads the page once the gateway responds, because browsers never retry a module that failed to load. */
export function useLoadAgain(isWanted: boolean): void {
  useEffect(() => {
    if (
      !isWanted ||
      Date.now() - Number(sessionStorage.getItem(LAST_RELOAD_KEY)) < MIN_RELOAD_INTERVAL_MS
    )
      return undefined
    const timer = setInterval(() => {
      fetch(gatewayPath("/healthz"), { cache: "no-store" })
        .then(({ ok }) => {
          if (!ok) return
          sessionStorage.setItem(LAST_RELOAD_KEY, String(Date.now()))
          window.location.reload()
        })
        .catch(() => undefined)
    }, POLL_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isWanted])
}
