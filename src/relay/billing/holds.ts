import type { Payer } from "../../accounting/payer.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import type { Model } from "../../catalog/model.ts"
import type { Usage } from "../../canon/usage.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { parseCredits } from "../../ledger/money.ts"
import { minOutput } from "../fitting/own-limits.ts"
import { ledgerUnavailable } from "../lifetime/call-failure.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"
import { type Bound, boundByBytes, boundByCount, keptTokens, boundedText } from "./bounds.ts"
import { affordableOutput, worstCost } from "./bound-cost.ts"
import { highestCost } from "./deployment-costs.ts"
import { debtRejection, rejectionOf, reservedRejection } from "./payment-rejections.ts"
import {
  type ChatAdmission,
  type ChatHoldInput,
  clampOf,
  type HoldInput,
  type PendingCharge,
  type UsageAdmission,
  type UsageHoldInput,
} from "./pending-charge.ts"
import { type AttemptRecord, writeReceipt } from "./receipt.ts"
import { widenedBound } from "./widened-bound.ts"

/** Failures of holds that are reported to the operator. */
export interface HoldAlarms {
  /** Reports that the ledger could not be read or written when a hold was placed. */
  ledgerFailed(error: unknown): void
}

/**
 * Places all holds. Before the first upstream byte, it holds the worst case of a request or the cost of a shorter
 * response, or rejects the request.
 */
export class Holds {
  readonly #ledger: Ledger
  readonly #counter: TokenCounter
  readonly #alarms: HoldAlarms

  constructor(ledger: Ledger, counter: TokenCounter, alarms: HoldAlarms) {
    this.#ledger = ledger
    this.#counter = counter
    this.#alarms = alarms
  }

  /**
   * Holds the worst case of a request. For an estimate, it only checks whether the balance covers the worst case.
   * @returns the charge itself, without a promise, if this process's lease covers a chat, which is the usual case.
   * @throws GatewayError `insufficient_credits`, `credits_reserved`, `ledger_unavailable`, or the error for an exceeded
   * budget.
   */
  admit(admission: ChatAdmission | UsageAdmission): MaybePromise<PendingCharge> {
    if (this.#ledger.failure !== undefined) throw ledgerUnavailable()
    return admission.request === undefined
      ? this.#admitUsage(admission)
      : this.#admitChat(admission)
  }

  #admitChat(admission: ChatAdmission): MaybePromise<PendingCharge> {
    const { call, request, priced, state, calls, clients } = admission
    const payer = call.key.payerAt(Date.now(), call.labels)
    const hasFeatures = "held" in priced
    const model = hasFeatures ? priced.model : priced
    const held = hasFeatures ? priced.held : priced.deployments
    const featureCosts = hasFeatures ? priced.featureCosts : undefined
    const bytes = boundByBytes(request, call, model, keptTokens(state, model))
    const bound = widenedBound(bytes, featureCosts, model, calls)
    const withFewerCalls = hasFeatures ? priced.withFewerCalls : undefined
    const input = {
      call,
      request,
      payer,
      model,
      state,
      calls,
      clients,
      withFewerCalls,
      held,
      featureCosts,
      bound,
    }
    const charge = this.#tryCharge(input, worstCost(bound, held))
    if (charge) return charge
    return call.isEstimate ? this.#estimateSlowly(input, bytes) : this.#admitSlowly(input, bytes)
  }

  async #estimateSlowly(input: ChatHoldInput, byBytes: Bound): Promise<PendingCharge> {
    try {
      // Waits for another turn of the event loop, because the text may be long and was already read once in this turn.
      await ownTurn()
      return await this.#admitSlowly(input, byBytes)
    } catch (error) {
      return this.#rejected(input, error)
    }
  }

  async #admitUsage(admission: UsageAdmission): Promise<PendingCharge> {
    const { call, model, worst, max = worst, additional = 0n, calls } = admission
    const payer = call.key.payerAt(Date.now(), call.labels)
    const input: UsageHoldInput = { call, request: undefined, model, payer, worst, max }
    const needed = worstOf(model, worst, calls) + additional
    const charge = this.#tryCharge(input, needed) ?? (await this.#extendAndTry(input, needed))
    if (charge) return charge
    const rejection = rejectionOf(this.#ledger.snapshot(input.payer), needed, needed)
    if (call.isEstimate) return this.#rejected(input, rejection)
    throw rejection
  }

  /**
   * Changes the hold of an operation to a corrected maximum usage.
   * @returns the charge with the changed hold.
   * @throws GatewayError like `admit`; the charge is then unchanged.
   */
  async revise(charge: PendingCharge, admission: UsageAdmission): Promise<PendingCharge> {
    if (this.#ledger.failure !== undefined) throw ledgerUnavailable()
    const { model, worst, max = worst, calls } = admission
    const { call, hold } = charge
    const { payer } = hold
    const needed = worstOf(model, worst, calls)
    const resize = (): true | undefined => this.#ledger.tryResize(hold, needed) || undefined
    if (!resize() && !(await this.#extend(payer, needed - hold.amount, resize))) {
      throw rejectionOf(this.#ledger.snapshot(payer), needed, needed)
    }
    return { ...charge, model, input: { call, request: undefined, model, payer, worst, max } }
  }

  /** Returns the result of an estimate that was rejected for lack of credits. */
  #rejected(input: HoldInput, error: unknown): PendingCharge {
    const required = error instanceof GatewayError ? error.details.fields?.["required"] : undefined
    if (!(error instanceof GatewayError) || typeof required !== "string") throw error
    return { ...this.#estimatedCharge(input, parseCredits(required)), rejection: error }
  }

  /**
   * Holds the worst case of a chat, and may wait for the ledger and for the token counter.
   * @param byBytes the bound of the request from its size in bytes.
   */
  async #admitSlowly(input: ChatHoldInput, byBytes: Bound): Promise<PendingCharge> {
    const { request, model, held, state } = input
    const worst = worstCost(input.bound, held)
    const charge = await this.#extendAndTry(input, worst)
    if (charge) return charge

    const text = boundedText(request)
    const tokens = await this.#counter.of(input.call.key.account).count(text)
    const kept = keptTokens(state, model)
    const byCount =
      tokens === undefined ? byBytes : boundByCount(request, { text, tokens }, model, kept)
    const plain = byCount.input < byBytes.input ? byCount : byBytes
    const counting = withBound(input, plain)
    const needed = worstCost(counting.bound, held)
    const closer = needed < worst ? await this.#extendAndTry(counting, needed) : undefined
    return closer ?? this.#withFewerCalls(counting, plain, needed)
  }

  /** Holds the available balance for fewer tool calls, if the vendor has a field that limits them. */
  #withFewerCalls(input: ChatHoldInput, plain: Bound, needed: bigint): PendingCharge {
    const { withFewerCalls, call } = input
    if (withFewerCalls === undefined || call.rejectOnLowBalance) return this.#clamp(input, needed)
    let fewest = input
    for (const max of FEWER_CALLS) {
      const { held, featureCosts } = withFewerCalls(max)
      const fewer = withBound({ ...input, held, featureCosts }, plain)
      const amount = worstCost(fewer.bound, held)
      const charge = amount < needed ? this.#tryCharge(fewer, amount) : undefined
      if (charge) return charge
      fewest = fewer
    }
    return this.#clamp(fewest, worstCost(fewest.bound, fewest.held))
  }

  #extendAndTry(input: HoldInput, amount: bigint): Promise<PendingCharge | undefined> {
    return this.#extend(input.payer, amount, () => this.#tryCharge(input, amount))
  }

  #extend<T>(payer: Payer, amount: bigint, attempt: () => T | undefined): Promise<T | undefined> {
    return this.#ledger.extend(payer, amount, attempt).catch((error: unknown) => {
      this.#alarms.ledgerFailed(error)
      throw ledgerUnavailable(error)
    })
  }

  /**
   * Holds the available balance for a shorter response, but not for less than the minimum output of a vendor.
   * @throws GatewayError if the minimum output is too expensive, or if the caller does not accept a shorter response.
   */
  #clamp(input: ChatHoldInput, needed: bigint): PendingCharge {
    const { call, held, payer, bound, model, clients } = input
    const balances = this.#ledger.snapshot(payer)
    const [account] = balances
    if (account && account.debt > 0n) throw debtRejection(account, needed)
    const short = balances.filter((snapshot) => snapshot.available < needed)
    if (short.every((snapshot) => snapshot.posted >= needed))
      throw reservedRejection(needed, balances)
    const shortest = Math.max(1, minOutput(model, clients))
    if (!call.rejectOnLowBalance) {
      const available = this.#ledger.available(payer)
      const output = affordableOutput(bound, held, available)
      if (output >= shortest) {
        const cost = worstCost({ ...bound, output }, held)
        const charge = this.#tryCharge(input, cost, output)
        if (charge) return charge
      }
    }
    const min = call.rejectOnLowBalance ? needed : worstCost({ ...bound, output: shortest }, held)
    throw rejectionOf(this.#ledger.snapshot(payer), needed, min)
  }

  #tryCharge(input: HoldInput, amount: bigint, affordable?: number): PendingCharge | undefined {
    const { call, request, model, payer, featureCosts, state } = input
    const clampedTo = clampOf(input, affordable)
    const attempts: AttemptRecord[] = []
    const receipt = (): string =>
      writeReceipt({
        charge: {
          call,
          request,
          model,
          attempts,
          losses: [],
          firstByteAt: undefined,
          routedBy: undefined,
        },
        hold: amount,
        status: "expired",
      })
    if (call.isEstimate) {
      const isCovered = this.#ledger.available(payer) >= amount
      return isCovered ? this.#estimatedCharge(input, amount, affordable) : undefined
    }
    const hold = this.#ledger.tryHold({ request: call.id, payer, amount, receipt })
    if (!hold) return undefined
    // Lists all members, because spreading an object takes longer than all other work here.
    return {
      call,
      request,
      model,
      hold,
      clampedTo,
      input,
      featureCosts,
      state,
      attempts,
      losses: [],
      firstByteAt: undefined,
      routedBy: undefined,
    }
  }

  /** Returns a charge without a hold, for estimates. */
  #estimatedCharge(input: HoldInput, amount: bigint, affordable?: number): PendingCharge {
    const { call, request, model, payer, featureCosts, state, held = model.deployments } = input
    const clampedTo = clampOf(input, affordable)
    const hold = this.#ledger.estimateHold({ request: call.id, payer, amount, receipt: () => "" })
    const charge = { call, request, model, hold, clampedTo, input, featureCosts, held, state }
    return { ...charge, attempts: [], losses: [], firstByteAt: undefined, routedBy: undefined }
  }
}

/** Limits on tool calls that are tried in this order if the balance does not cover the usual limit. */
const FEWER_CALLS = [4, 1]

/** Returns the input of a hold. The bound of the request itself is widened by tokens that the vendor adds. */
function withBound(input: ChatHoldInput, plain: Bound): ChatHoldInput {
  const { featureCosts, model, calls } = input
  return { ...input, bound: widenedBound(plain, featureCosts, model, calls) }
}

/** Returns the cost of the usage at the most expensive deployment, in nanocredits. */
function worstOf({ deployments }: Model, worst: Usage, calls?: number): bigint {
  return highestCost(worst, deployments, calls)?.total ?? 0n
}
