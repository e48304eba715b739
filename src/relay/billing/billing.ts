import { GatewayError } from "../../canon/errors.ts"
import { isNoUsage, totalOutput, type Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { Settlement, BalanceSnapshot } from "../../ledger/hold.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { parseCredits } from "../../ledger/money.ts"
import type { Price } from "../../ledger/price.ts"
import type { Payer } from "../../accounting/payer.ts"
import {
  type PendingCharge,
  type ChatAdmission,
  type ChatHoldInput,
  clampOf,
  maxOf,
  type HoldInput,
  type UsageHoldInput,
  widened,
} from "./pending-charge.ts"
import { settleTerms } from "../billable/settle.ts"
import { UnchargedUsage } from "../billable/uncharged.ts"
import {
  affordableOutput,
  type Bound,
  boundByBytes,
  boundByCount,
  keptTokens,
  repeated,
  textOf,
  worstCost,
} from "./bounds.ts"
import type { Call } from "../pipeline/call.ts"
import { dearestOf } from "./deployment-costs.ts"
import { type Delivered, estimateUsage } from "./estimated-usage.ts"
import type { Meter } from "../chat/meter.ts"
import { minOutput } from "../chat/own-limits.ts"
import {
  ledgerUnavailable,
  indebted,
  refusalOf,
  refuseUncharged,
  reserved,
} from "./payment-refusals.ts"
import { type AttemptRecord, writeReceipt } from "./receipt.ts"
import {
  type CountedUsage,
  boundedPrice,
  priceUsage,
  priceSettled,
  type PricedUsage,
} from "./priced-usage.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"

/** What the operator must hear of. */
export interface BillingAlarms {
  /** A priced answer for which the vendor reported no usage, or zero. */
  usageMissing(request: string, deployment: string): void
  /** The ledger could not be read or written when a hold was to be placed. */
  ledgerFailed(error: unknown): void
  /** A vendor counts something that is charged to no one. */
  usageUncharged(request: string, deployment: string, name: string): void
}

/**
 * The one place that places and settles holds. Whatever path an answer takes, its money takes this
 * one: worst case held, clamped or refused before the first upstream byte; settled or released once.
 */
export class Billing {
  readonly #ledger: Ledger
  readonly #counter: TokenCounter
  readonly #alarms: BillingAlarms
  readonly #uncharged: UnchargedUsage

  constructor(ledger: Ledger, counter: TokenCounter, alarms: BillingAlarms) {
    this.#ledger = ledger
    this.#counter = counter
    this.#alarms = alarms
    this.#uncharged = new UnchargedUsage(alarms)
  }

  /** Requests whose money is not over yet: held, or on its way to the disk. */
  get open(): number {
    return this.#ledger.open
  }

  /**
   * Sets the worst case of a request aside.
   * @returns at once when this process's lease covers it, which is nearly always.
   * @throws GatewayError `insufficient_credits`, `key_budget_exceeded`, `credits_reserved` or
   * `book_unavailable`.
   */
  admit({
    call,
    request,
    asked,
    state,
    calls,
    clients,
  }: ChatAdmission): PendingCharge | Promise<PendingCharge> {
    if (this.#ledger.failure !== undefined) throw ledgerUnavailable()
    const payer = call.key.payerAt(Date.now())
    const isDemand = "held" in asked
    const model = isDemand ? asked.model : asked
    const held = isDemand ? asked.held : asked.deployments
    const terms = isDemand ? asked.terms : undefined
    const bytes = boundByBytes(request, call.bodyBytes, model, keptTokens(state, model))
    const bound = repeated(calls, widened(terms, model, bytes))
    const input: ChatHoldInput = {
      call,
      request,
      payer,
      model,
      held,
      terms,
      state,
      bound,
      calls,
      clients,
    }
    const charge = this.#tryCharge(input, worstCost(bound, held))
    if (charge) return charge
    const slow = this.#admitSlowly(input, bound)
    return call.isEstimate ? slow.catch((error: unknown) => this.#refused(input, error)) : slow
  }

  /**
   * Sets aside what an operation that is no chat can use at most.
   * @param beside nanocredits that another operation of the same request needs as well.
   * @throws GatewayError as `admit` does.
   */
  async admitUsage(call: Call, model: Model, worst: Usage, beside = 0n): Promise<PendingCharge> {
    if (this.#ledger.failure !== undefined) throw ledgerUnavailable()
    const payer = call.key.payerAt(Date.now())
    const input: UsageHoldInput = { call, request: undefined, model, payer, worst }
    const needed = (dearestOf(worst, model.deployments)?.total ?? 0n) + beside
    const charge = this.#tryCharge(input, needed) ?? (await this.#extendAndTry(input, needed))
    if (charge) return charge
    const refusal = refusalOf(this.#ledger.snapshot(input.payer), needed, needed)
    if (call.isEstimate) return this.#refused(input, refusal)
    throw refusal
  }

  /**
   * Changes what is held for an operation to what it can use at most after all.
   * @returns the charge to go on with.
   * @throws GatewayError as `admit` does; then the charge is as it was.
   */
  async revise(charge: PendingCharge, model: Model, worst: Usage): Promise<PendingCharge> {
    if (this.#ledger.failure !== undefined) throw ledgerUnavailable()
    const { call, hold } = charge
    const { payer } = hold
    const needed = dearestOf(worst, model.deployments)?.total ?? 0n
    const resize = (): true | undefined => this.#ledger.tryResize(hold, needed) || undefined
    if (!resize() && !(await this.#extend(payer, needed - hold.amount, resize))) {
      throw refusalOf(this.#ledger.snapshot(payer), needed, needed)
    }
    return { ...charge, model, input: { call, request: undefined, model, payer, worst } }
  }

  /** Of an estimate, a refusal for want of money is an answer like any other. */
  #refused(input: HoldInput, error: unknown): PendingCharge {
    const required = error instanceof GatewayError ? error.details.fields?.["required"] : undefined
    if (!(error instanceof GatewayError) || typeof required !== "string") throw error
    return { ...this.#imagine(input, parseCredits(required)), refusal: error }
  }

  async #admitSlowly(input: ChatHoldInput, byBytes: Bound): Promise<PendingCharge> {
    const { request, model, held, state, terms, calls } = input
    const worst = worstCost(byBytes, held)
    const charge = await this.#extendAndTry(input, worst)
    if (charge) return charge

    const counted = await this.#counter.count(textOf(request))
    const kept = keptTokens(state, model)
    const byCount =
      counted === undefined
        ? byBytes
        : repeated(calls, widened(terms, model, boundByCount(request, counted, model, kept)))
    const bound = byCount.input < byBytes.input ? byCount : byBytes
    const needed = worstCost(bound, held)
    const counting = { ...input, bound }
    const closer = needed < worst ? await this.#extendAndTry(counting, needed) : undefined
    return closer ?? this.#clamp(counting, needed)
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
   * Holds what there is for a shorter answer, or says why not even that is possible. What is held is never for less
   * than a vendor can be asked for.
   */
  #clamp(input: ChatHoldInput, needed: bigint): PendingCharge {
    const { call, held, payer, bound, model, clients } = input
    const standings = this.#ledger.snapshot(payer)
    const [account] = standings
    if (account && account.debt > 0n) throw indebted(account, needed)
    const short = standings.filter((snapshot) => snapshot.available < needed)
    if (short.every((snapshot) => snapshot.posted >= needed)) throw reserved(needed, standings)
    const shortest = Math.max(1, minOutput(model, clients))
    if (!call.refuseOnLowBalance) {
      const available = this.#ledger.available(payer)
      const output = affordableOutput(bound, held, available)
      if (output >= shortest) {
        const cost = worstCost({ ...bound, output }, held)
        const charge = this.#tryCharge(input, cost, output)
        if (charge) return charge
      }
    }
    const min = call.refuseOnLowBalance ? needed : worstCost({ ...bound, output: shortest }, held)
    throw refusalOf(this.#ledger.snapshot(payer), needed, min)
  }

  #tryCharge(input: HoldInput, amount: bigint, affordable?: number): PendingCharge | undefined {
    const { call, request, model, payer, terms, state } = input
    const clampedTo = clampOf(input, affordable)
    const attempts: AttemptRecord[] = []
    const receipt = (): string =>
      writeReceipt({
        call,
        request,
        model,
        hold: amount,
        attempts,
        losses: [],
        firstByteAt: undefined,
        status: "expired",
      })
    if (call.isEstimate) {
      const isCovered = this.#ledger.available(payer) >= amount
      return isCovered ? this.#imagine(input, amount, affordable) : undefined
    }
    const hold = this.#ledger.tryHold({ request: call.id, payer, amount, receipt })
    if (!hold) return undefined
    // Written out: to spread another object costs more than all that is in it.
    return {
      call,
      request,
      model,
      hold,
      clampedTo,
      input,
      terms,
      state,
      attempts,
      losses: [],
      firstByteAt: undefined,
    }
  }

  /** A charge of which nothing is held, and nothing ever charged. */
  #imagine(input: HoldInput, amount: bigint, affordable?: number): PendingCharge {
    const { call, request, model, payer, terms, state, held = model.deployments } = input
    const clampedTo = clampOf(input, affordable)
    const hold = this.#ledger.imagine({ request: call.id, payer, amount, receipt: () => "" })
    const charge = { call, request, model, hold, clampedTo, input, terms, held, state }
    return { ...charge, attempts: [], losses: [], firstByteAt: undefined }
  }

  /** How the account and the key's budgets stand that a charge would be paid from, the account first. */
  snapshot(charge: PendingCharge): BalanceSnapshot[] {
    return this.#ledger.snapshot(charge.hold.payer)
  }

  /** The account's posted balance as this process last heard it, nanocredits. */
  balance(charge: PendingCharge): bigint {
    return this.#ledger.snapshot(charge.hold.payer)[0]?.posted ?? 0n
  }

  /** What a delivered answer costs. Counts for itself only where the vendor did not. */
  priceAnswer(
    charge: PendingCharge,
    deployment: Deployment,
    meter: Meter,
  ): PricedUsage | Promise<PricedUsage> {
    const { price } = deployment
    if (!price) throw new Error(`deployment ${deployment.id} was called without a price`)
    const { usage } = meter
    const settled = { charge, deployment, meter }
    if (usage && meter.isCounted) return this.#priced(settled, usage, false)
    if (meter.finished) this.#alarms.usageMissing(charge.call.id, deployment.id)
    return estimateUsage(this.#counter, settled).then((estimate) => {
      // What is told before the end may only be how it began: Anthropic begins with one token
      // (docs/wire/anthropic-messages.md#f9).
      const isBegun = usage !== undefined && !isNoUsage(usage)
      if (!isBegun) return this.#priced(settled, estimate, true)
      if (totalOutput(usage) >= totalOutput(estimate)) return this.#priced(settled, usage, false)
      const { output, audioOutput } = estimate
      return this.#priced(settled, { ...usage, output, audioOutput }, true)
    })
  }

  #priced({ charge, deployment, meter }: Delivered, usage: Usage, estimated: boolean): PricedUsage {
    const terms = charge.terms?.get(deployment.id)
    let priced: PricedUsage
    if (terms === undefined) priced = this.price(charge, deployment, { usage, estimated }, meter)
    else {
      const settled = settleTerms(terms, usage, meter.records, elapsed(charge))
      // How often its vendor did something is told at the end of an answer, if it comes to that.
      const isGuess = terms.calls.length > 0 && meter.records.some(({ isEnded }) => !isEnded)
      const reported = priceSettled(settled, terms.price, estimated || isGuess)
      priced = believed(charge, reported, terms.price, meter)
    }
    this.#uncharged.look(charge.call.id, deployment, meter.reported, priced.cost)
    return priced
  }

  /**
   * What a usage costs, as far as the request can have had it.
   * @param meter what came of a chat.
   */
  price(
    charge: PendingCharge,
    deployment: Deployment,
    counted: CountedUsage,
    meter?: Meter,
  ): PricedUsage {
    const { price } = deployment
    if (!price) throw new Error(`deployment ${deployment.id} was called without a price`)
    return believed(charge, priceUsage(counted, price), price, meter)
  }

  /**
   * Resolves when the charge is on disk.
   * @throws GatewayError `book_unavailable`: nothing was charged, and the answer must not be released.
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
      })
    const writeOff = beyond && { amount: beyond.amount, reason: "usage_beyond_bound" as const }
    return this.#ledger.settle(hold, cost.total, receipt, writeOff).catch(refuseUncharged)
  }

  /** Ends a request that delivered nothing. Its receipt says why; no one has to wait for it. */
  release(charge: PendingCharge): void {
    const { call, request, model, attempts, losses, firstByteAt, hold } = charge
    const facts = { call, request, model, attempts, losses, firstByteAt, hold: hold.amount }
    const receipt = () => writeReceipt({ ...facts, status: "released" })
    this.#ledger.settle(hold, 0n, receipt).catch(() => {
      // The ledger has raised the alarm, and nothing was to be charged.
    })
  }
}

/** Milliseconds that a request has taken. */
function elapsed({ call }: PendingCharge): number {
  return Math.round(performance.now() - call.startedAt)
}

/** A cost that its hold covers needs no closer look. */
function believed(
  charge: PendingCharge,
  reported: PricedUsage,
  price: Price,
  meter?: Meter,
): PricedUsage {
  const isCovered = reported.cost.total <= charge.hold.amount
  return isCovered ? reported : boundedPrice(reported, price, maxOf(charge, meter))
}
