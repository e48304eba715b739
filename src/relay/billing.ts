import type { ChatRequest } from "../canon/chat.ts"
import { GatewayError } from "../canon/errors.ts"
import { addUsage, isNoUsage, NO_USAGE, totalOutput, type Usage } from "../canon/usage.ts"
import type { Deployment, Model } from "../catalog/model.ts"
import type { Hold, Settlement, Standing } from "../ledger/hold.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import { type Cost, costOf, type Price } from "../ledger/price.ts"
import { readPeriodOwner } from "../store/budgets.ts"
import type { Payer } from "../store/records.ts"
import {
  affordableOutput,
  type Bound,
  boundByBytes,
  boundByCount,
  estimateInput,
  keptTokens,
  textOf,
  worstCost,
} from "./bounds.ts"
import { type SettledUsage, settleTerms } from "./billable/settle.ts"
import type { Demand } from "./billable/survey.ts"
import { type Terms, widen } from "./billable/terms.ts"
import { UnchargedUsage } from "./billable/uncharged.ts"
import type { Call } from "./call.ts"
import type { Meter } from "./meter.ts"
import { type AttemptRecord, writeReceipt } from "./receipt.ts"
import type { StateRecorder } from "./state-recorder.ts"
import type { TokenCounter } from "./token-counter.ts"
import type { ResolvedState } from "./vendor-state.ts"
import type { Loss } from "../canon/chat.ts"

/** The money side of one request, from its hold to its end. */
export interface Bill {
  readonly call: Call
  /** Absent for what is no chat. */
  readonly request: ChatRequest | undefined
  readonly model: Model
  readonly hold: Hold
  /** Set when the credits cover only part of the output. */
  readonly clampedTo: number | undefined
  /** By deployment: what is billed beside the tokens; absent where nothing is. */
  readonly terms?: ReadonlyMap<string, Terms> | undefined
  /** Of an estimate: the deployments as its hold has seen them, and why it would be refused. */
  readonly held?: readonly Deployment[]
  readonly refusal?: GatewayError
  readonly attempts: AttemptRecord[]
  losses: readonly Loss[]
  /** By `performance.now()`. */
  firstByteAt: number | undefined
  /** What the request names of what vendors keep; absent where it names nothing, as nearly all. */
  readonly state?: ResolvedState | undefined
  /** Notes what the vendor keeps of the answer; absent where it keeps nothing. */
  recorder?: StateRecorder | undefined
}

/** What the operator must hear of. */
export interface BillingAlarms {
  /** A priced answer for which the vendor reported no usage, or zero. */
  usageMissing(request: string, deployment: string): void
  /** The book could not be read or written when a hold was to be placed. */
  bookFailed(error: unknown): void
  /** A vendor counts something that is charged to nobody. */
  usageUncharged(request: string, deployment: string, name: string): void
}

/** A priced usage, ready to settle. */
export interface Reckoning {
  readonly usage: Usage
  readonly estimated: boolean
  readonly cost: Cost
  /** Where something else than tokens was billed: how, for the receipt. */
  readonly settled?: SettledUsage
}

/** When a running request of the same caller holds the credits, seconds. */
const RESERVED_RETRY_AFTER = 1

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
   * @param state what it names of what vendors keep.
   * @returns at once when this process's lease covers it, which is nearly always.
   * @throws GatewayError `insufficient_credits`, `key_budget_exceeded`, `credits_reserved` or
   * `book_unavailable`.
   */
  admit(
    call: Call,
    request: ChatRequest,
    asked: Model | Demand,
    state?: ResolvedState,
  ): Bill | Promise<Bill> {
    if (this.#ledger.failure !== undefined) throw bookUnavailable()
    const payer = call.key.payerAt(Date.now())
    const order: ChatOrder =
      "held" in asked
        ? { call, request, payer, model: asked.model, held: asked.held, terms: asked.terms, state }
        : { call, request, payer, model: asked, held: asked.deployments, terms: undefined, state }
    const kept = keptTokens(state, order.model)
    const bound = widened(order, boundByBytes(request, call.bodyBytes, order.model, kept))
    const bill = this.#tryBill(order, worstCost(bound, order.held))
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
    const order = { call, request: undefined, model, payer: call.key.payerAt(Date.now()) }
    const needed = (dearestOf(worst, model.deployments)?.total ?? 0n) + beside
    const bill = this.#tryBill(order, needed) ?? (await this.#extendAndBill(order, needed))
    if (bill) return bill
    const refusal = refusalOf(this.#ledger.standing(order.payer), needed, needed)
    if (call.isEstimate) return this.#refused(order, refusal)
    throw refusal
  }

  /** Of an estimate, a refusal for want of money is an answer like any other. */
  #refused(order: Order, error: unknown): Bill {
    const required = error instanceof GatewayError ? error.details.fields?.["required"] : undefined
    if (!(error instanceof GatewayError) || typeof required !== "string") throw error
    return { ...this.#imagine(order, parseCredits(required)), refusal: error }
  }

  async #admitSlowly(order: ChatOrder, byBytes: Bound): Promise<Bill> {
    const { request, model, held, state } = order
    const worst = worstCost(byBytes, held)
    const bill = await this.#extendAndBill(order, worst)
    if (bill) return bill

    const counted = await this.#counter.count(textOf(request))
    const kept = keptTokens(state, model)
    const byCount =
      counted === undefined ? byBytes : widened(order, boundByCount(request, counted, model, kept))
    const bound = byCount.input < byBytes.input ? byCount : byBytes
    const needed = worstCost(bound, held)
    const closer = needed < worst ? await this.#extendAndBill(order, needed) : undefined
    return closer ?? this.#clamp(order, bound, needed)
  }

  #extendAndBill(order: Order, amount: bigint): Promise<Bill | undefined> {
    return this.#ledger
      .extend(order.payer, amount, () => this.#tryBill(order, amount))
      .catch((error: unknown) => {
        this.#alarms.bookFailed(error)
        throw bookUnavailable(error)
      })
  }

  /** Holds what there is for a shorter answer, or says why not even that is possible. */
  #clamp(order: ChatOrder, bound: Bound, needed: bigint): Bill {
    const { call, held, payer } = order
    const standings = this.#ledger.standing(payer)
    const [account] = standings
    if (account && account.debt > 0n) throw indebted(account, needed)
    const short = standings.filter((standing) => standing.available < needed)
    if (short.every((standing) => standing.posted >= needed)) throw reserved(needed, standings)
    if (!call.refuseOnLowBalance) {
      const available = this.#ledger.available(payer)
      const output = affordableOutput(bound, held, available)
      if (output >= 1) {
        const cost = worstCost({ ...bound, output }, held)
        const bill = this.#tryBill(order, cost, output)
        if (bill) return bill
      }
    }
    const least = call.refuseOnLowBalance ? needed : worstCost({ ...bound, output: 1 }, held)
    throw refusalOf(this.#ledger.standing(payer), needed, least)
  }

  #tryBill(order: Order, amount: bigint, clampedTo?: number): Bill | undefined {
    const { call, request, model, payer, terms, state } = order
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
      return isCovered ? this.#imagine(order, amount, clampedTo) : undefined
    }
    const hold = this.#ledger.tryHold({ request: call.id, payer, amount, receipt })
    if (!hold) return undefined
    const bill = { call, request, model, hold, clampedTo, terms, state, attempts }
    return { ...bill, losses: [], firstByteAt: undefined }
  }

  /** A bill of which nothing is held, and nothing ever charged. */
  #imagine(order: Order, amount: bigint, clampedTo?: number): Bill {
    const { call, request, model, payer, terms, state, held = model.deployments } = order
    const hold = this.#ledger.imagine({ request: call.id, payer, amount, receipt: () => "" })
    const bill = { call, request, model, hold, clampedTo, terms, held, state }
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
    if (!bill.request) throw new Error("only chat is estimated from what it delivered")
    return this.#estimate(bill, bill.request, meter).then((estimate) => {
      // What is told before the end may only be how it began: Anthropic begins with one token (WIRE.md 3).
      const isBegun = usage !== undefined && !isNoUsage(usage)
      if (!isBegun) return this.#reckoned(settled, estimate, true)
      if (totalOutput(usage) >= estimate.output) return this.#reckoned(settled, usage, false)
      return this.#reckoned(settled, { ...usage, output: estimate.output }, true)
    })
  }

  #reckoned({ bill, deployment, meter }: Delivered, usage: Usage, estimated: boolean): Reckoning {
    const terms = bill.terms?.get(deployment.id)
    const reckoning =
      terms === undefined
        ? this.price(deployment, usage, estimated)
        : this.#onTerms(terms, settleTerms(terms, usage, meter.records, elapsed(bill)), estimated)
    this.#uncharged.look(bill.call.id, deployment, meter.reported, reckoning.cost)
    return reckoning
  }

  #onTerms({ price }: Terms, settled: SettledUsage, estimated: boolean): Reckoning {
    const counted = withRequest(settled.usage, price)
    const cost = costOf(counted, settled.price, settled.others)
    const usage = settled.others.reduce((sum, other) => addUsage(sum, other.usage), counted)
    return { usage, estimated, cost, settled }
  }

  /** What a known usage costs. @param estimated whether it is our own count. */
  price(deployment: Deployment, usage: Usage, estimated: boolean): Reckoning {
    const { price } = deployment
    if (!price) throw new Error(`deployment ${deployment.id} was called without a price`)
    const counted = withRequest(usage, price)
    return { usage: counted, estimated, cost: costOf(counted, price) }
  }

  async #estimate(bill: Bill, request: ChatRequest, meter: Meter): Promise<Usage> {
    const { call, model, state } = bill
    const [input, output] = await Promise.all([
      this.#counter.count(textOf(request)),
      this.#counter.count(meter.text),
    ])
    const kept = Math.max(1, meter.text.length)
    const outputGuess = output ?? Math.ceil(meter.text.length / 4)
    return {
      ...NO_USAGE,
      inputFresh: estimateInput({
        request,
        bodyBytes: call.bodyBytes,
        model,
        counted: input,
        kept: state?.tokens,
      }),
      output: Math.ceil((outputGuess * Math.max(kept, meter.characters)) / kept),
    }
  }

  /**
   * Resolves when the charge is on disk.
   * @throws GatewayError `book_unavailable`: nothing was charged, and the answer must not be released.
   */
  settle(bill: Bill, deployment: Deployment, reckoning: Reckoning): Promise<Settlement> {
    const { call, request, model, attempts, losses, firstByteAt, hold } = bill
    const { usage, estimated, cost, settled } = reckoning
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
        ...(settled && { price: settled.price, modes: settled.modes }),
        ...(unpriced && { unpriced }),
      })
    return this.#ledger.settle(hold, cost.total, receipt).catch(refuseUncharged)
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

/** An answer that is to be charged. */
interface Delivered {
  readonly bill: Bill
  readonly deployment: Deployment
  readonly meter: Meter
}

/** Milliseconds that a request has taken. */
function elapsed({ call }: Bill): number {
  return Math.round(performance.now() - call.startedAt)
}

function widened({ terms, model }: ChatOrder, bound: Bound): Bound {
  return terms === undefined ? bound : widen(bound, [...terms.values()], model.context)
}

/** Counts the request itself, where it has a price of its own. */
function withRequest(usage: Usage, price: Price): Usage {
  return price.rates.requests === undefined ? usage : { ...usage, requests: 1 }
}

/** What a usage costs at the dearest deployment; undefined where none has a price. */
export function dearestOf(usage: Usage, deployments: readonly Deployment[]): Cost | undefined {
  let worst: Cost | undefined
  for (const { price } of deployments) {
    if (!price) continue
    const cost = costOf(withRequest(usage, price), price)
    if (worst === undefined || cost.total > worst.total) worst = cost
  }
  return worst
}

/** Nanocredits: what a usage costs at the cheapest deployment. */
export function cheapestOf(usage: Usage, deployments: readonly Deployment[]): bigint {
  let least: bigint | undefined
  for (const { price } of deployments) {
    if (!price) continue
    const { total } = costOf(withRequest(usage, price), price)
    if (least === undefined || total < least) least = total
  }
  return least ?? 0n
}

interface Order {
  readonly terms?: ReadonlyMap<string, Terms> | undefined
  /** The deployments as a hold has to see them; absent where they are the model's own. */
  readonly held?: readonly Deployment[]
  readonly call: Call
  readonly request: ChatRequest | undefined
  readonly model: Model
  readonly payer: Payer
  readonly state?: ResolvedState | undefined
}

interface ChatOrder extends Order {
  readonly request: ChatRequest
  /** The deployments as a hold has to see them. */
  readonly held: readonly Deployment[]
}

/** Fail closed: what cannot be charged is not served. */
function bookUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    "book_unavailable",
    "The gateway cannot write its book just now, so it takes no requests. Try again shortly.",
    { cause },
  )
}

/** The ledger has raised the alarm by now. */
function refuseUncharged(cause: unknown): never {
  throw new GatewayError(
    "book_unavailable",
    "The charge of this answer could not be written, so the answer was not released to its end. Nothing was charged. Try again shortly.",
    { cause },
  )
}

/** Why nothing could be held. @param least what would have been enough for any answer at all. */
function refusalOf(standings: readonly Standing[], needed: bigint, least: bigint): GatewayError {
  const [account, ...budgets] = standings
  if (account && account.debt > 0n) return indebted(account, needed)
  if (account && account.posted < least) return insufficient(account, needed)
  const budget = budgets.find(({ posted }) => posted < least)
  return budget ? budgetExceeded(budget, needed) : reserved(needed, standings)
}

function insufficient(account: Standing, needed: bigint): GatewayError {
  return new GatewayError(
    "insufficient_credits",
    `The account's balance of ${formatCredits(account.posted)} credits does not cover this request, which may cost up to ${formatCredits(needed)}. Add credits, or lower max_tokens or the length of the prompt.`,
    { fields: { balance: formatCredits(account.posted), required: formatCredits(needed) } },
  )
}

/** The account's credits go to what it owes first. */
function indebted(account: Standing, needed: bigint): GatewayError {
  const debt = formatCredits(account.debt)
  return new GatewayError(
    "insufficient_credits",
    `The account owes ${debt} credits, because a card payment was taken back. Nothing is served until that is paid: add credits, of which ${debt} go to the debt first.`,
    {
      fields: {
        balance: formatCredits(account.posted),
        required: formatCredits(needed),
        debt,
      },
    },
  )
}

const BUDGET_NAMES = { total: "budget", day: "daily budget", month: "monthly budget" } as const

function budgetExceeded(budget: Standing, needed: bigint): GatewayError {
  const { period, until } = readPeriodOwner(budget.owner) ?? { period: "total" as const }
  const name = BUDGET_NAMES[period]
  const left = `This key has ${formatCredits(budget.posted)} credits of its ${name} left, and this request may cost up to ${formatCredits(needed)}.`
  const fields = {
    balance: formatCredits(budget.posted),
    required: formatCredits(needed),
    budget: period,
  }
  if (until === undefined) {
    const advice = "Ask for a larger budget, or lower max_tokens."
    return new GatewayError("key_budget_exceeded", `${left} ${advice}`, { fields })
  }
  const resetsAt = new Date(until).toISOString()
  return new GatewayError(
    "key_budget_exceeded",
    `${left} It begins anew at ${resetsAt}. Wait until then, ask for a larger budget, or lower max_tokens.`,
    { fields: { ...fields, resets_at: resetsAt } },
  )
}

function reserved(needed: bigint, standings: readonly Standing[]): GatewayError {
  const posted = standings[0]?.posted ?? 0n
  return new GatewayError(
    "credits_reserved",
    `Your running requests hold the credits that this one needs (up to ${formatCredits(needed)}). Try again when they have finished.`,
    {
      retryAfter: RESERVED_RETRY_AFTER,
      fields: { balance: formatCredits(posted), required: formatCredits(needed) },
    },
  )
}
