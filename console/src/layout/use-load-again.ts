import { useEffect } from "react"
import { gatewayPath } from "../base-path.ts"

const LOOK_EVERY = 3_000
/** When this tab was loaded again by itself, so that what is gone for good is not tried for ever. */
const LAST = "tollgate-loaded-again"
const PAUSE = 60_000

/** Loads everything again once the gateway answers: the browser never asks again for a part that failed. */
export function useLoadAgain(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted || Date.now() - Number(sessionStorage.getItem(LAST)) < PAUSE) return undefined
    const timer = setInterval(() => {
      fetch(gatewayPath("/healthz"), { cache: "no-store" })
        .then(({ ok }) => {
          if (!ok) return
          sessionStorage.setItem(LAST, String(Date.now()))
          window.location.reload()
        })
        .catch(() => undefined)
    }, LOOK_EVERY)
    return () => clearInterval(timer)
  }, [isWanted])
}
