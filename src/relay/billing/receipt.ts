import { NAME_OF_CLASS, type UsageClass } from "#contract/usage-classes.ts"
import type { CallerReceipt, Receipt } from "#contract/receipts.ts"
import { restoreReceipt } from "../../accounting/stored-receipt.ts"
import type { ReceiptRecord } from "../../store/settlements.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject } from "../../canon/json.ts"
import type { Loss } from "../../canon/extra.ts"
import { NO_USAGE, type Usage } from "../../canon/usage.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import { formatCredits, multiplierText } from "../../ledger/money.ts"
import type { Cost, CostLine, GroupTerm, InForce, Price, Rates } from "../../ledger/price.ts"
import type { RouteReason } from "../../routing/route.ts"
import type { Call } from "../request/call.ts"

/** One upstream call in the form in which a receipt lists it. */
export interface AttemptRecord {
  readonly deployment: string
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** `ok`, or the kind of the failure from the table of errors. */
  readonly outcome: string
  /** Duration in milliseconds. */
  readonly duration: number
  /** The reason for the failure, in the gateway's wording. Only operators can see it. */
  readonly cause?: string
  /** The operator's cost of the failed attempt in credits, if the vendor reported usage. */
  readonly provider_cost?: string
}

/**
 * Outcome of a call that was cancelled because another call had succeeded, or had failed for a reason that also applies
 * to this call.
 */
const NOT_NEEDED = "not_needed"

/** Returns the attempt that determined how a request ended. */
export function lastNeeded(attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  return attempts.findLast(({ outcome }) => outcome !== NOT_NEEDED)
}

/** Returns the public name of a usage class. */
export function usageName(usageClass: UsageClass): string {
  return NAME_OF_CLASS[usageClass]
}

/**
 * The reason why a deployment was tried first: `state` if it stores state that the request refers to, otherwise the
 * reason for the route.
 */
export type RoutedBy = "state" | RouteReason

/** The facts about a request that its charge contains. */
interface ReceiptCharge {
  readonly call: Call
  /** The chat request; undefined for operations other than chat. */
  readonly request: ChatRequest | undefined
  readonly model: Model
  readonly attempts: readonly AttemptRecord[]
  readonly losses: readonly Loss[]
  readonly firstByteAt: number | undefined
  readonly routedBy: RoutedBy | undefined
}

interface ReceiptFacts {
  readonly charge: ReceiptCharge
  readonly hold: bigint
  readonly status: "settled" | "released" | "expired"
  /** The deployment that responded; absent if the request failed. */
  readonly deployment?: Deployment
  readonly usage?: Usage
  readonly estimated?: boolean
  readonly cost?: Cost
  /** The rate card of the charge, if it is not the rate card of the deployment. */
  readonly price?: Price | undefined
  /** The service modes in which the vendor processed the request. */
  readonly modes?: readonly string[] | undefined
  /** The label budgets that the charge draws on. */
  readonly labelBudgets?: readonly string[] | undefined
  /** Paths of features in the request that were passed on without a price. */
  readonly unpriced?: readonly string[]
  /** The usage that the vendor reported, if it exceeds the maximum usage of the request. */
  readonly reported?: Usage | undefined
  /** The operator's cost in nanocredits, if it differs from the lines of the charge. */
  readonly providerCost?: bigint | undefined
}

/**
 * Returns the text of a receipt as it is stored. The text omits columns of its row, and members with their usual value.
 * `restoreReceipt` adds the members, and `showWholeReceipt` also adds the columns. A short text saves time, because the
 * cost of durable writes depends on the number of pages.
 */
export function writeReceipt(facts: ReceiptFacts): string {
  const { charge, deployment, usage, cost, reported, providerCost } = facts
  const { call, request, model, attempts, losses, firstByteAt } = charge
  const { labels } = call
  const price = facts.price ?? deployment?.price
  const { answered, asked } = modelNames(model, deployment)
  const onlyAttempt = immediateSuccess(facts)
  // Members that are undefined are not written. Spreading objects instead would take longer than everything else here.
  return JSON.stringify({
    status: facts.status,
    first_byte_ms: firstByteAt === undefined ? undefined : since(call, firstByteAt),
    duration_ms: since(call, performance.now()),
    endpoint: call.endpoint,
    model: answered,
    requested_model: asked === answered ? undefined : asked,
    user: labels?.user,
    session: labels?.session,
    tags: labels?.tags,
    label_budgets: facts.labelBudgets,
    stream: request?.stream === true ? true : undefined,
    deployment: deployment?.id === answered ? undefined : (deployment?.id ?? null),
    routed_by: charge.routedBy,
    usage: usage === undefined ? null : namedUsage(usage),
    usage_reported: reported === undefined ? undefined : namedUsage(reported),
    usage_beyond_bound: reported === undefined ? undefined : true,
    estimated: facts.estimated === true ? true : undefined,
    price: price === undefined ? null : priceSnapshot(price),
    modes: withoutEmpty(facts.modes),
    unpriced: withoutEmpty(facts.unpriced),
    arithmetic: cost === undefined ? null : cost.lines.map((line) => lineOf(line, price)),
    cost: formatCredits(cost?.total ?? 0n),
    provider_cost: providerCost === undefined ? undefined : formatCredits(providerCost),
    hold: formatCredits(facts.hold),
    attempts: onlyAttempt === undefined ? attempts : undefined,
    attempt_ms: onlyAttempt?.duration,
    losses: withoutEmpty(losses),
  })
}

/** Returns the attempt of a request if it was the only attempt and only its duration needs to be recorded. */
function immediateSuccess({
  charge: { attempts },
  deployment,
}: ReceiptFacts): AttemptRecord | undefined {
  const [attempt] = attempts
  if (attempts.length !== 1 || attempt === undefined) return undefined
  const { status, outcome, cause, provider_cost: cost } = attempt
  const isUsual = status === 200 && outcome === "ok" && cause === undefined && cost === undefined
  return isUsual && attempt.deployment === deployment?.id ? attempt : undefined
}

function withoutEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list
}

/** Returns the id of the model that responded, and the requested name. */
export function modelNames(
  { id, requestedAs = id }: Model,
  deployment: Deployment | undefined,
): { readonly answered: string; readonly asked: string } {
  return { answered: deployment?.member?.id ?? id, asked: requestedAs }
}

/** Returns the whole milliseconds between the start of a call and a moment. */
function since(call: Call, moment: number): number {
  return Math.round(moment - call.startedAt)
}

const FORMULA =
  "cost = ceil(sum(quantity x per_million / 1000000) x price.multiplier), rounded up to the nanocredit"

const NAMES: Readonly<Partial<Record<keyof Usage, string>>> = {
  ...NAME_OF_CLASS,
  reasoning: "reasoning",
}
/** The usage classes in the order of a receipt. Reasoning has no separate price, because it is a part of the output. */
const USAGE_NAMES = (Object.keys(NO_USAGE) as (keyof Usage)[]).flatMap(
  (name): [keyof Usage, string][] => {
    const shown = NAMES[name]
    return shown === undefined ? [] : [[name, shown]]
  },
)

/** Returns the usage by the public names of its classes, without classes that are zero. */
export function namedUsage(usage: Usage): Record<string, number> {
  const named: Record<string, number> = {}
  for (const [usageClass, name] of USAGE_NAMES) {
    const quantity = usage[usageClass]
    if (quantity > 0) named[name] = quantity
  }
  return named
}

function lineOf(line: CostLine, price: Price | undefined): object {
  return {
    class: NAME_OF_CLASS[line.class],
    quantity: line.quantity,
    is_minimum: line.isMinimum,
    per_million: line.rate === price?.rates[line.class] ? undefined : rateText(line.rate),
    model: line.model,
  }
}

const rateTexts = new Map<bigint, string>()

/** Returns a rate as text. The texts are cached, because many receipts share few rates. */
function rateText(rate: bigint): string {
  let text = rateTexts.get(rate)
  if (text === undefined) {
    text = formatCredits(rate)
    if (rateTexts.size < MAX_RATES) rateTexts.set(rate, text)
  }
  return text
}

const MAX_RATES = 10_000
const snapshots = new WeakMap<Price, object>()

/** Returns the rate card in credits per million units. Rate cards are cached, because prices are immutable. */
function priceSnapshot(price: Price): object {
  let snapshot = snapshots.get(price)
  if (snapshot === undefined) {
    snapshot = {
      per_million: namedRates(price.rates),
      ...(price.tiers.length > 0 && {
        tiers: price.tiers.map(({ above, rates }) => ({ above, per_million: namedRates(rates) })),
      }),
      multiplier: multiplierText(price.multiplier),
      ...(price.minimumSeconds !== undefined && { minimum_seconds: price.minimumSeconds }),
      ...(price.inForce && price.inForce.index >= 0 && { period: periodSnapshot(price.inForce) }),
      ...(price.group && { group: groupSnapshot(price.group) }),
    }
    snapshots.set(price, snapshot)
  }
  return snapshot
}

function periodSnapshot({ name, from, until }: InForce): object {
  return { name: name ?? null, from: momentText(from), until: momentText(until) }
}

function momentText(at: number): string | null {
  return Number.isFinite(at) ? new Date(at).toISOString() : null
}

function groupSnapshot({ id, from, multiplier }: GroupTerm): object {
  return {
    id,
    from: new Date(from).toISOString(),
    ...(multiplier !== undefined && { multiplier: multiplierText(multiplier) }),
  }
}

function namedRates(rates: Rates): Record<string, string> {
  const named: Record<string, string> = {}
  for (const [usageClass, rate] of Object.entries(rates) as [UsageClass, bigint][]) {
    named[NAME_OF_CLASS[usageClass]] = formatCredits(rate)
  }
  return named
}

/** A receipt as operators see it. */
type WholeReceipt = CallerReceipt & Pick<Receipt, "provider_cost">

/** The members of a receipt that its stored text contains. */
type WrittenReceipt = Pick<
  CallerReceipt,
  | "status"
  | "first_byte_ms"
  | "duration_ms"
  | "endpoint"
  | "model"
  | "stream"
  | "deployment"
  | "usage"
  | "estimated"
  | "price"
  | "arithmetic"
  | "cost"
  | "hold"
  | "attempts"
  | "losses"
> &
  Pick<Receipt, "provider_cost">

/** Returns a receipt as its caller sees it, without the operator's costs and without the causes of failed attempts. */
export function showReceipt(record: ReceiptRecord): CallerReceipt {
  const { provider_cost: _, ...receipt } = showWholeReceipt(record)
  return { ...receipt, attempts: receipt.attempts.map(withoutSecrets) }
}

type ShownAttempt = WholeReceipt["attempts"][number]

function withoutSecrets(attempt: ShownAttempt): ShownAttempt {
  const { provider_cost: _, cause: _cause, ...shown } = attempt
  return shown
}

/** Returns a complete receipt from its stored text and its row in the ledger. */
export function showWholeReceipt(record: ReceiptRecord): WholeReceipt {
  const stored: unknown = JSON.parse(record.body)
  const body = restoreReceipt(isJsonObject(stored) ? stored : {}) as unknown as WrittenReceipt
  const { entry } = record
  const charged = entry === null ? 0n : -entry.amount
  const { request: id, account, key } = record
  return {
    id,
    object: "receipt",
    ...body,
    account,
    key,
    created_at: new Date(record.at).toISOString(),
    formula: FORMULA,
    charged: formatCredits(charged),
    written_off: formatCredits(record.writtenOff.reduce((sum, { amount }) => sum + amount, 0n)),
    write_offs: record.writtenOff.map(({ amount, reason }) => ({
      amount: formatCredits(amount),
      reason,
    })),
    late: record.late,
    entry:
      entry === null
        ? null
        : {
            number: entry.number,
            amount: formatCredits(entry.amount),
            balance: formatCredits(entry.balance),
            receipt_hash: entry.receiptHash,
            previous_hash: entry.previousHash,
            hash: entry.hash,
          },
  }
}
