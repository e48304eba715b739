import { GatewayError } from "../../canon/errors.ts"
import { isNoUsage, totalOutput, type Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { Settlement, Standing } from "../../ledger/hold.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { parseCredits } from "../../ledger/money.ts"
import type { Price } from "../../ledger/price.ts"
import type { Payer } from "../../accounting/payer.ts"
import {
  type Bill,
  type ChatAdmission,
  type ChatOrder,
  clampOf,
  mostOf,
  type Order,
  type UsageOrder,
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
import { leastOutput } from "../chat/own-limits.ts"
import {
  bookUnavailable,
  indebted,
  refusalOf,
  refuseUncharged,
  reserved,
} from "./payment-refusals.ts"
import { type AttemptRecord, writeReceipt } from "./receipt.ts"
import {
  type CountedUsage,
  heldReckoning,
  reckon,
  reckonSettled,
  type Reckoning,
} from "./priced-usage.ts"
import type { TokenCounter } from "../tokens/token-counter.ts"

/** What the operator must hear of. */
export interface BillingAlarms {
  /** A priced answer for which the vendor reported no usage, or zero. */
  usageMissing(request: string, deployment: string): void
  /** The book could not be read or written when a hold was to be placed. */
  bookFailed(error: unknown): void
  /** A vendor counts something that is charged to nobody. */
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
  admit({ call, request, asked, state, calls, endpoints }: ChatAdmission): Bill | Promise<Bill> {
    if (this.#ledger.failure !== undefined) throw bookUnavailable()
    const payer = call.key.payerAt(Date.now())
    const isDemand = "held" in asked
    const model = isDemand ? asked.model : asked
    const held = isDemand ? asked.held : asked.deployments
    const terms = isDemand ? asked.terms : undefined
    const bytes = boundByBytes(request, call.bodyBytes, model, keptTokens(state, model))
    const bound = repeated(calls, widened(terms, model, bytes))
    const order: ChatOrder = {
      call,
      request,
      payer,
      model,
      held,
      terms,
      state,
      bound,
      calls,
      endpoints,
    }
    const bill = this.#tryBill(order, worstCost(bound, held))
    if (bill) return bill
    const slow = this.#admitSlowly(order, bound)
    return call.isEstimate ? slow.catch((error: unknown) => this.#refused(order, error)) : slow
  }

  /**
   * Sets aside what an operation that is no chat can use at most.
   * @param beside nanocredits that another operation of the same request needs as well.
   * @throws GatewayError as `admit` does.
   */
  async admitUsage(call: Call, model: Model, worst: Usage, beside = 0n): Promise<Bill> {
    if (this.#ledger.failure !== undefined) throw bookUnavailable()
    const payer = call.key.payerAt(Date.now())
    const order: UsageOrder = { call, request: undefined, model, payer, worst }
    const needed = (dearestOf(worst, model.deployments)?.total ?? 0n) + beside
    const bill = this.#tryBill(order, needed) ?? (await this.#extendAndBill(order, needed))
    if (bill) return bill
    const refusal = refusalOf(this.#ledger.standing(order.payer), needed, needed)
    if (call.isEstimate) return this.#refused(order, refusal)
    throw refusal
  }

  /**
   * Changes what is held for an operation to what it can use at most after all.
   * @returns the bill to go on with.
   * @throws GatewayError as `admit` does; then the bill is as it was.
   */
  async revise(bill: Bill, model: Model, worst: Usage): Promise<Bill> {
    if (this.#ledger.failure !== undefined) throw bookUnavailable()
    const { call, hold } = bill
    const { payer } = hold
    const needed = dearestOf(worst, model.deployments)?.total ?? 0n
    const resize = (): true | undefined => this.#ledger.tryResize(hold, needed) || undefined
    if (!resize() && !(await this.#extend(payer, needed - hold.amount, resize))) {
      throw refusalOf(this.#ledger.standing(payer), needed, needed)
    }
    return { ...bill, model, order: { call, request: undefined, model, payer, worst } }
  }

  /** Of an estimate, a refusal for want of money is an answer like any other. */
  #refused(order: Order, error: unknown): Bill {
    const required = error instanceof GatewayError ? error.details.fields?.["required"] : undefined
    if (!(error instanceof GatewayError) || typeof required !== "string") throw error
    return { ...this.#imagine(order, parseCredits(required)), refusal: error }
  }

  async #admitSlowly(order: ChatOrder, byBytes: Bound): Promise<Bill> {
    const { request, model, held, state, terms, calls } = order
    const worst = worstCost(byBytes, held)
    const bill = await this.#extendAndBill(order, worst)
    if (bill) return bill

    const counted = await this.#counter.count(textOf(request))
    const kept = keptTokens(state, model)
    const byCount =
      counted === undefined
        ? byBytes
        : repeated(calls, widened(terms, model, boundByCount(request, counted, model, kept)))
    const bound = byCount.input < byBytes.input ? byCount : byBytes
    const needed = worstCost(bound, held)
    const counting = { ...order, bound }
    const closer = needed < worst ? await this.#extendAndBill(counting, needed) : undefined
    return closer ?? this.#clamp(counting, needed)
  }

  #extendAndBill(order: Order, amount: bigint): Promise<Bill | undefined> {
    return this.#extend(order.payer, amount, () => this.#tryBill(order, amount))
  }

  #extend<T>(payer: Payer, amount: bigint, attempt: () => T | undefined): Promise<T | undefined> {
    return this.#ledger.extend(payer, amount, attempt).catch((error: unknown) => {
      this.#alarms.bookFailed(error)
      throw bookUnavailable(error)
    })
  }

  /**
   * Holds what there is for a shorter answer, or says why not even that is possible. What is held is never for less
   * than a vendor can be asked for.
   */
  #clamp(order: ChatOrder, needed: bigint): Bill {
    const { call, held, payer, bound, model, endpoints } = order
    const standings = this.#ledger.standing(payer)
    const [account] = standings
    if (account && account.debt > 0n) throw indebted(account, needed)
    const short = standings.filter((standing) => standing.available < needed)
    if (short.every((standing) => standing.posted >= needed)) throw reserved(needed, standings)
    const shortest = Math.max(1, leastOutput(model, endpoints))
    if (!call.refuseOnLowBalance) {
      const available = this.#ledger.available(payer)
      const output = affordableOutput(bound, held, available)
      if (output >= shortest) {
        const cost = worstCost({ ...bound, output }, held)
        const bill = this.#tryBill(order, cost, output)
        if (bill) return bill
      }
    }
    const least = call.refuseOnLowBalance ? needed : worstCost({ ...bound, output: shortest }, held)
    throw refusalOf(this.#ledger.standing(payer), needed, least)
  }

  #tryBill(order: Order, amount: bigint, affordable?: number): Bill | undefined {
    const { call, request, model, payer, terms, state } = order
    const clampedTo = clampOf(order, affordable)
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
      return isCovered ? this.#imagine(order, amount, affordable) : undefined
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
      order,
      terms,
      state,
      attempts,
      losses: [],
      firstByteAt: undefined,
    }
  }

  /** A bill of which nothing is held, and nothing ever charged. */
  #imagine(order: Order, amount: bigint, affordable?: number): Bill {
    const { call, request, model, payer, terms, state, held = model.deployments } = order
    const clampedTo = clampOf(order, affordable)
    const hold = this.#ledger.imagine({ request: call.id, payer, amount, receipt: () => "" })
    const bill = { call, request, model, hold, clampedTo, order, terms, held, state }
    return { ...bill, attempts: [], losses: [], firstByteAt: undefined }
  }

  /** How the account and the key's budgets stand that a bill would be paid from, the account first. */
  standing(bill: Bill): Standing[] {
    return this.#ledger.standing(bill.hold.payer)
  }

  /** The account's posted balance as this process last heard it, nanocredits. */
  balance(bill: Bill): bigint {
    return this.#ledger.standing(bill.hold.payer)[0]?.posted ?? 0n
  }

  /** What a delivered answer costs. Counts for itself only where the vendor did not. */
  reckon(bill: Bill, deployment: Deployment, meter: Meter): Reckoning | Promise<Reckoning> {
    const { price } = deployment
    if (!price) throw new Error(`deployment ${deployment.id} was called without a price`)
    const { usage } = meter
    const settled = { bill, deployment, meter }
    if (usage && meter.isCounted) return this.#reckoned(settled, usage, false)
    if (meter.finished) this.#alarms.usageMissing(bill.call.id, deployment.id)
    return estimateUsage(this.#counter, settled).then((estimate) => {
      // What is told before the end may only be how it began: Anthropic begins with one token (WIRE.md 3).
      const isBegun = usage !== undefined && !isNoUsage(usage)
      if (!isBegun) return this.#reckoned(settled, estimate, true)
      if (totalOutput(usage) >= totalOutput(estimate)) return this.#reckoned(settled, usage, false)
      const { output, audioOutput } = estimate
      return this.#reckoned(settled, { ...usage, output, audioOutput }, true)
    })
  }

  #reckoned({ bill, deployment, meter }: Delivered, usage: Usage, estimated: boolean): Reckoning {
    const terms = bill.terms?.get(deployment.id)
    let reckoning: Reckoning
    if (terms === undefined) reckoning = this.price(bill, deployment, { usage, estimated }, meter)
    else {
      const settled = settleTerms(terms, usage, meter.records, elapsed(bill))
      // How often its vendor did something is told at the end of an answer, if it comes to that.
      const isGuess = terms.calls.length > 0 && meter.records.some(({ isEnded }) => !isEnded)
      const told = reckonSettled(settled, terms.price, estimated || isGuess)
      reckoning = believed(bill, told, terms.price, meter)
    }
    this.#uncharged.look(bill.call.id, deployment, meter.reported, reckoning.cost)
    return reckoning
  }

  /**
   * What a usage costs, as far as the request can have had it.
   * @param meter what came of a chat.
   */
  price(bill: Bill, deployment: Deployment, counted: CountedUsage, meter?: Meter): Reckoning {
    const { price } = deployment
    if (!price) throw new Error(`deployment ${deployment.id} was called without a price`)
    return believed(bill, reckon(counted, price), price, meter)
  }

  /**
   * Resolves when the charge is on disk.
   * @throws GatewayError `book_unavailable`: nothing was charged, and the answer must not be released.
   */
  settle(bill: Bill, deployment: Deployment, reckoning: Reckoning): Promise<Settlement> {
    const { call, request, model, attempts, losses, firstByteAt, hold } = bill
    const { usage, estimated, cost, settled, beyond } = reckoning
    const held = hold.amount
    const unpriced = bill.terms?.get(deployment.id)?.unpriced
    if (bill.recorder) hold.state = bill.recorder.records(estimated ? undefined : usage)
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

  /** Ends a request that delivered nothing. Its receipt says why; nobody has to wait for it. */
  release(bill: Bill): void {
    const { call, request, model, attempts, losses, firstByteAt, hold } = bill
    const facts = { call, request, model, attempts, losses, firstByteAt, hold: hold.amount }
    const receipt = () => writeReceipt({ ...facts, status: "released" })
    this.#ledger.settle(hold, 0n, receipt).catch(() => {
      // The ledger has raised the alarm, and nothing was to be charged.
    })
  }
}

/** Milliseconds that a request has taken. */
function elapsed({ call }: Bill): number {
  return Math.round(performance.now() - call.startedAt)
}

/** A cost that its hold covers needs no closer look. */
function believed(bill: Bill, told: Reckoning, price: Price, meter?: Meter): Reckoning {
  const isCovered = told.cost.total <= bill.hold.amount
  return isCovered ? told : heldReckoning(told, price, mostOf(bill, meter))
}
