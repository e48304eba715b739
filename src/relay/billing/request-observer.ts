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
  /** How long its charge took, milliseconds. */
  readonly settling: number
  /** When its charge was durable, by `performance.now()`. */
  readonly endedAt: number
}

/** Hears of requests that held money when they have ended. It does not throw, and nobody waits for it. */
export interface RequestObserver {
  settled(request: SettledRequest): void
  /** It delivered nothing, and cost nothing. @param endedAt by `performance.now()` */
  released(charge: PendingCharge, endedAt: number): void
}

export interface ObserverAlarms {
  /** It threw. What it should have heard of is paid for, and its answer goes out all the same. */
  observerFailed(request: string, error: unknown): void
}
