import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { Catalog } from "../../catalog/catalog.ts"
import { isFree } from "../../catalog/model.ts"
import type { ModelKind } from "#contract/model-kinds.ts"
import type { Key } from "../../keys/key.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { Rates } from "../../limits/rates.ts"
import { ledgerUnavailable } from "../lifetime/call-failure.ts"
import { SMALLEST_COST, rejectionOf } from "../billing/payment-rejections.ts"
import { rejectHindered } from "./reject-hindered.ts"

export interface EarlyCheckParts {
  readonly limiter: Rates
  readonly ledger: Ledger
  readonly catalog: () => Catalog
}

/**
 * Rejects requests before their body is read, so that rejected callers cause no work. The exact checks follow later,
 * except for the checks of the key's state and of its running requests.
 */
export class EarlyChecks {
  readonly #parts: EarlyCheckParts

  constructor(parts: EarlyCheckParts) {
    this.#parts = parts
  }

  /**
   * Checks the state of a key, and counts another running request of the key until the request's memory is released.
   * @returns a promise if the check must wait for the database.
   * @throws GatewayError `key_paused` or a similar error, `concurrent_requests_exceeded`.
   */
  enter(key: Key, memory: Reservation): Promise<void> | undefined {
    rejectHindered(key)
    const { limiter } = this.#parts
    const { id, account, concurrentRequests, together } = key
    const own =
      concurrentRequests === undefined
        ? undefined
        : leaveWith(memory, limiter.enter(id, concurrentRequests))
    const shared = together?.concurrentRequests
    if (shared === undefined) return own
    const enterShared = (): Promise<void> | undefined =>
      leaveWith(memory, limiter.enter(account, shared, "this account"))
    return own ? own.then(enterShared) : enterShared()
  }

  /**
   * Checks whether the rate limits of a key allow another request in this minute, without counting one.
   * @throws GatewayError `request_rate_exceeded`
   */
  rejectFrequent({ id, account, requestsPerMinute, together }: Key): void {
    const { limiter } = this.#parts
    limiter.rejectExceeded(id, requestsPerMinute, "this key")
    limiter.rejectExceeded(account, together?.requestsPerMinute, "this account")
  }

  /**
   * Checks whether a key can pay for any request. If a model of the kind is free, this check is left to `rejectUnpaid`.
   * @throws GatewayError `insufficient_credits`, `ledger_unavailable`, or the error for a budget that is used up.
   */
  async rejectEmpty(key: Key, kind: ModelKind): Promise<void> {
    if (!this.#parts.catalog().hasFree(kind, key)) await this.#rejectBalance(key)
  }

  /**
   * Checks whether a key may call a model, and whether it can pay for any request.
   * @throws GatewayError like `Catalog.require` and `rejectEmpty`.
   */
  async rejectUnpaid(key: Key, kind: ModelKind, name: string): Promise<void> {
    const catalog = this.#parts.catalog()
    // If the model is not a reranker, embeddings are compared.
    const isCompared = kind === "rerank" && catalog.resolve(name, key)?.kind === "embedding"
    const model = catalog.require(name, isCompared ? "embedding" : kind, key)
    if (!isFree(model)) await this.#rejectBalance(key)
  }

  /**
   * Checks the balance. Credits that running requests hold count as available, because they may be released by the time
   * the body has arrived.
   */
  async #rejectBalance(key: Key): Promise<void> {
    const { ledger } = this.#parts
    const payer = key.payerAt(Date.now())
    if (ledger.failure !== undefined || ledger.available(payer) >= SMALLEST_COST) return
    const leasing = ledger.lease(payer, SMALLEST_COST).catch((error: unknown) => {
      throw ledgerUnavailable(error)
    })
    if (await leasing) return
    const rejection = rejectionOf(ledger.snapshot(payer), SMALLEST_COST, SMALLEST_COST)
    if (rejection.kind !== "credits_reserved") throw rejection
  }
}

/** Counts a request as running until its memory is released, regardless of how it ends. */
function leaveWith(
  memory: Reservation,
  entering: MaybePromise<() => void>,
): Promise<void> | undefined {
  if (entering instanceof Promise) return entering.then((leave) => memory.defer(leave))
  memory.defer(entering)
  return undefined
}
