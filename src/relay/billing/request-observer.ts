import type { Deployment } from "../../catalog/model.ts"
import type { Settlement } from "../../ledger/hold.ts"
import type { PendingCharge } from "./pending-charge.ts"
import type { PricedUsage } from "./priced-usage.ts"

/** A request with a durable charge. */
export interface SettledRequest {
  readonly charge: PendingCharge
  readonly deployment: Deployment
  readonly priced: PricedUsage
  readonly settlement: Settlement
  /** Duration of the charge, milliseconds. */
  readonly settling: number
  /** When its charge was durable, by `performance.now()`. */
  readonly endedAt: number
}

/** Notified of requests with a hold when they have ended. Does not throw; the gateway does not wait for it. */
export interface RequestObserver {
  settled(request: SettledRequest): void
  /** Called for a request that delivered nothing and cost nothing. @param endedAt by `performance.now()` */
  released(charge: PendingCharge, endedAt: number): void
}

export interface ObserverAlarms {
  /** Called when an observer threw. The request is charged and its answer is sent nevertheless. */
  observerFailed(request: string, error: unknown): void
}
