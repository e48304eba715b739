import type { Deployment } from "../../catalog/model.ts"
import { labelsOfOwners } from "../../accounting/label-budgets.ts"
import type { BalanceSnapshot, Hold, Settlement } from "../../ledger/hold.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import { type HoldAlarms, Holds } from "./holds.ts"
import { refuseUnwritten } from "./payment-refusals.ts"
import type { PendingCharge } from "./pending-charge.ts"
import type { PricedUsage } from "./priced-usage.ts"
import { Pricing, type PricingAlarms } from "./pricing.ts"
import { type ReceiptFacts, writeReceipt } from "./receipt.ts"
import type { RequestObserver, SettledRequest } from "./request-observer.ts"

export interface BillingParts {
  readonly ledger: Ledger
  readonly counter: TokenCounter
  readonly alarms: HoldAlarms & PricingAlarms
  /** Hear of every request that has ended. */
  readonly observers?: readonly RequestObserver[]
}

/**
 * The money of every request, whatever path its answer takes: its worst case is held (`holds`), what was delivered is
 * priced (`pricing`), and the hold is settled or released, once.
 */
export class Billing {
  readonly holds: Holds
  readonly pricing: Pricing
  readonly #ledger: Ledger
  readonly #observers: readonly RequestObserver[]

  constructor({ ledger, counter, alarms, observers = [] }: BillingParts) {
    this.holds = new Holds(ledger, counter, alarms)
    this.pricing = new Pricing(counter, alarms)
    this.#ledger = ledger
    this.#observers = observers
  }

  /** Requests whose money is not settled yet: held, or on its way to the disk. */
  get open(): number {
    return this.#ledger.open
  }

  /** How the account and the key's budgets stand that a charge would be paid from, the account first. */
  snapshot(charge: PendingCharge): BalanceSnapshot[] {
    return this.#ledger.snapshot(charge.hold.payer)
  }

  /** The account's posted balance as this process knows it, nanocredits. */
  balance(charge: PendingCharge): bigint {
    return this.#ledger.snapshot(charge.hold.payer)[0]?.posted ?? 0n
  }

  /**
   * Resolves when the charge is on disk.
   * @throws GatewayError `book_unavailable`: the answer must not be released, and says whether it was charged.
   */
  settle(charge: PendingCharge, deployment: Deployment, priced: PricedUsage): Promise<Settlement> {
    const { call, request, model, attempts, losses, firstByteAt, hold } = charge
    const { usage, estimated, cost, settled, beyond } = priced
    const held = hold.amount
    const unpriced = charge.terms?.get(deployment.id)?.unpriced
    if (charge.recorder) hold.state = charge.recorder.records(estimated ? undefined : usage)
    const receipt = () =>
      writeReceipt({
        call,
        request,
        model,
        attempts,
        losses,
        firstByteAt,
        hold: held,
        status: "settled",
        deployment,
        usage,
        estimated,
        cost,
        reported: beyond?.reported,
        ...(settled && { price: settled.price, modes: settled.modes }),
        ...(unpriced && { unpriced }),
        ...(call.labels && labelBudgetsOf(hold)),
      })
    const writeOff = beyond && { amount: beyond.amount, reason: "usage_beyond_bound" as const }
    const settlement = this.#ledger
      .settle(hold, cost.total, receipt, writeOff)
      .catch((error: unknown) => refuseUnwritten(error, this.#ledger.isAstray))
    return this.#observers.length === 0
      ? settlement
      : this.#observed({ charge, deployment, priced }, settlement)
  }

  async #observed(
    request: Pick<SettledRequest, "charge" | "deployment" | "priced">,
    settling: Promise<Settlement>,
  ): Promise<Settlement> {
    const begun = performance.now()
    const settlement = await settling
    const settled = { ...request, settlement, settling: performance.now() - begun }
    for (const observer of this.#observers) observer.settled(settled)
    return settlement
  }

  /** Ends a request that delivered nothing. Its receipt says why; no one has to wait for it. */
  release(charge: PendingCharge): void {
    const { call, request, model, attempts, losses, firstByteAt, hold } = charge
    const facts = { call, request, model, attempts, losses, firstByteAt, hold: hold.amount }
    const receipt = () => writeReceipt({ ...facts, status: "released" })
    this.#ledger.settle(hold, 0n, receipt).catch(() => {
      // The ledger has raised the alarm, and nothing was to be charged.
    })
    for (const observer of this.#observers) observer.released(charge)
  }
}

/** The budgets of labels that a charge draws on, for its receipt. */
function labelBudgetsOf({ payer }: Hold): Pick<ReceiptFacts, "labelBudgets"> | undefined {
  if (payer.budgets.length === 0) return undefined
  const labelBudgets = labelsOfOwners(payer.account, payer.budgets)
  return labelBudgets.length === 0 ? undefined : { labelBudgets }
}
