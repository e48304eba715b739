import type { Deployment } from "../../catalog/model.ts"
import { labelsOfOwners } from "../../accounting/label-budgets.ts"
import type { BalanceSnapshot, Hold, Settlement } from "../../ledger/hold.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import { type HoldAlarms, Holds } from "./holds.ts"
import { rejectUnwritten } from "./payment-rejections.ts"
import type { PendingCharge } from "./pending-charge.ts"
import type { PricedUsage } from "./priced-usage.ts"
import { providerCost } from "./provider-cost.ts"
import { Pricing, type PricingAlarms } from "./pricing.ts"
import { writeReceipt } from "./receipt.ts"
import type { ObserverAlarms, RequestObserver } from "./request-observer.ts"

export interface BillingParts {
  readonly ledger: Ledger
  readonly counter: TokenCounter
  readonly alarms: HoldAlarms & PricingAlarms & ObserverAlarms
  /** Observers that are notified of every request that has ended. */
  readonly observers?: readonly RequestObserver[]
}

/**
 * Charges every request. It holds the worst case (`holds`), prices the delivered response (`pricing`), and settles or
 * releases the hold once.
 */
export class Billing {
  readonly holds: Holds
  readonly pricing: Pricing
  readonly #ledger: Ledger
  readonly #observers: readonly RequestObserver[]
  readonly #alarms: ObserverAlarms

  constructor({ ledger, counter, alarms, observers = [] }: BillingParts) {
    this.holds = new Holds(ledger, counter, alarms)
    this.pricing = new Pricing(counter, alarms)
    this.#ledger = ledger
    this.#observers = observers
    this.#alarms = alarms
  }

  /** Number of requests with an open hold or a charge that is being written. */
  get open(): number {
    return this.#ledger.open
  }

  /** Returns the balances that would pay for a charge: the account's balance first, then the budgets of the key. */
  snapshot(charge: PendingCharge): BalanceSnapshot[] {
    return this.#ledger.snapshot(charge.hold.payer)
  }

  /** Returns the account's posted balance in this process, in nanocredits. */
  balance(charge: PendingCharge): bigint {
    return this.#ledger.snapshot(charge.hold.payer)[0]?.posted ?? 0n
  }

  /**
   * Resolves when the charge is on disk.
   * @throws GatewayError `ledger_unavailable`, in which case the response must not be released. The error states
   * whether the request was charged.
   */
  settle(charge: PendingCharge, deployment: Deployment, priced: PricedUsage): Promise<Settlement> {
    const { call, hold } = charge
    const { usage, estimated, cost, settled, beyond } = priced
    const held = hold.amount
    const passed = charge.featureCosts?.get(deployment.id)?.unpriced ?? []
    const unpriced = settled === undefined ? passed : [...passed, ...settled.unpriced]
    if (charge.recorder) hold.state = charge.recorder.records(estimated ? undefined : usage)
    const receipt = () =>
      writeReceipt({
        charge,
        hold: held,
        status: "settled",
        deployment,
        usage,
        estimated,
        cost,
        reported: beyond?.reported.usage,
        providerCost: deployment.price && providerCost(priced, deployment.price),
        price: settled?.price,
        modes: settled?.modes,
        unpriced,
        labelBudgets: call.labels && labelBudgetsOf(hold),
      })
    const writeOff = beyond && { amount: beyond.amount, reason: "usage_beyond_bound" as const }
    const begun = performance.now()
    return this.#ledger.settle(hold, cost.total, receipt, writeOff).then(
      (settlement) => {
        const endedAt = performance.now()
        const settling = endedAt - begun
        const settled = { charge, deployment, priced, settlement, settling, endedAt }
        this.#notify(call.id, (observer) => observer.settled(settled))
        return settlement
      },
      (error: unknown) => rejectUnwritten(error, this.#ledger.hasUnclearLeases),
    )
  }

  #notify(request: string, notify: (observer: RequestObserver) => void): void {
    for (const observer of this.#observers) {
      try {
        notify(observer)
      } catch (error) {
        this.#alarms.observerFailed(request, error)
      }
    }
  }

  /** Ends a request that delivered nothing. The receipt states the reason, and is written in the background. */
  release(charge: PendingCharge): void {
    const { call, hold } = charge
    const held = hold.amount
    const receipt = () => writeReceipt({ charge, hold: held, status: "released" })
    this.#ledger.settle(hold, 0n, receipt).catch(() => {
      // The ledger has already reported its failure, and no charge is due.
    })
    const endedAt = performance.now()
    this.#notify(call.id, (observer) => observer.released(charge, endedAt))
  }
}

/** Returns the budgets of labels that a charge draws on, for the receipt. */
function labelBudgetsOf({ payer }: Hold): readonly string[] | undefined {
  if (payer.budgets.length === 0) return undefined
  const labelBudgets = labelsOfOwners(payer.account, payer.budgets)
  return labelBudgets.length === 0 ? undefined : labelBudgets
}
