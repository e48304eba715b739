import { StoreError } from "../store/store-error.ts"
import { formatCredits } from "../ledger/money.ts"
import type { OpenReversal } from "../store/payments.ts"
import { type Store } from "../store/store.ts"
import type { Actor } from "./actor.ts"
import type { Audit } from "./audit.ts"
import type { ReportedReversal } from "./reversal-events.ts"

/** Maximum time that a reversal waits for processes to return leases that they do not need. */
const RECALL_TIMEOUT_MS = 1_500
const RECALL_POLL_INTERVAL_MS = 50
/**
 * Maximum attempts. Concurrent settlements of the same payment may conflict. Each conflict means that one of them
 * succeeded.
 */
const MAX_ATTEMPTS = 20

export interface ReversalParts {
  readonly store: Store
  readonly audit: Audit
  readonly warn: (message: string) => void
}

/**
 * Takes credits back after a refund or dispute of their card payment, and returns them if the dispute is won. A balance
 * never falls below zero. The missing amount becomes a debt, which new credits pay first.
 */
export class CardReversals {
  readonly #parts: ReversalParts

  constructor(parts: ReversalParts) {
    this.#parts = parts
  }

  /**
   * Adjusts the ledger to the sum of a payment's reversals, including this one.
   * @throws StoreError `not_found` for an unknown payment.
   */
  async settle(actor: Actor, reported: ReportedReversal): Promise<void> {
    const { store } = this.#parts
    const payment = await store.payments.findCard(reported.intent)
    // An amount in another currency does not show which part of the payment was reversed.
    const units = payment === null || payment.currency === reported.currency ? reported.units : null
    const { id, intent, kind, isUndone } = reported
    for (let attempt = 1; ; attempt++) {
      const open = await store.payments.noteReversal({ id, intent, kind, units, isUndone })
      if (open.amount === 0n) return
      try {
        return await this.#post(actor, reported, open)
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        // Another process has settled the reversal, or another reversal was reported in the meantime.
        if (error.code === "exists") return
        if (error.code !== "conflict" || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  async #post(
    actor: Actor,
    { intent, id, note }: ReportedReversal,
    open: OpenReversal,
  ): Promise<void> {
    const { store, audit, warn } = this.#parts
    const { account, amount } = open
    const change = {
      action: "account.reversal",
      account,
      target: id,
      after: { amount: formatCredits(-amount), note },
    }
    const settlement = { intent, amount, at: Date.now(), note, author: actor.name }
    const post = () =>
      audit.perform(actor, change, (record) => store.payments.settleReversal(settlement, record))
    await (amount > 0n ? this.#recalled(account, amount, post) : post())
    const debt = (await store.accounts.find(account))?.debt ?? 0n
    if (debt > 0n) warn(`the account ${account} owes ${formatCredits(debt)} credits: ${note}`)
  }

  /** Recalls leases that processes do not need, because processes may lease entire balances. */
  async #recalled(account: string, amount: bigint, post: () => Promise<unknown>): Promise<void> {
    const { store } = this.#parts
    const deadline = performance.now() + RECALL_TIMEOUT_MS
    try {
      for (;;) {
        const free = await store.leases.recall(account, amount)
        const { balance = 0n } = (await store.accounts.find(account)) ?? {}
        const wanted = balance < amount ? balance : amount
        if (free >= wanted || performance.now() > deadline) break
        await Bun.sleep(RECALL_POLL_INTERVAL_MS)
      }
      await post()
    } finally {
      await store.leases.endRecall(account)
    }
  }
}
