import type { Deployment } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import type { PendingCharge } from "./pending-charge.ts"
import type { PricedUsage } from "./priced-usage.ts"

/** A request whose charge is durable. */
export interface SettledRequest {
  readonly charge: PendingCharge
  readonly deployment: Deployment
  readonly priced: PricedUsage
  readonly settlement: Settlement
  /** Milliseconds that it took to write the charge. */
  readonly settling: number
  /** Time at which the charge became durable, as returned by `performance.now()`. */
  readonly endedAt: number
}

/**
 * Receives requests with a hold when they have ended. Its methods must not throw, and the gateway does not wait for
 * them.
 */
export interface RequestObserver {
  settled(request: SettledRequest): void
  /**
   * Called for a request that delivered nothing and cost nothing.
   * @param endedAt time at which it ended, as returned by `performance.now()`
   */
  released(charge: PendingCharge, endedAt: number): void
}

export interface ObserverAlarms {
  /** Called if an observer threw an error. The request is still charged, and its response is still sent. */
  observerFailed(request: string, error: unknown): void
}
