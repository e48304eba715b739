import type { ChatRequest, Loss } from "../canon/chat.ts"
import type { Usage, UsageClass } from "../canon/usage.ts"
import type { Deployment, Model } from "../catalog/model.ts"
import { formatCredits } from "../ledger/money.ts"
import type { Cost, Price } from "../ledger/price.ts"
import type { ReceiptRecord } from "../store/records.ts"
import type { Call } from "./call.ts"

/** One upstream call, as a receipt tells it. */
export interface AttemptRecord {
  readonly deployment: string
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** `ok`, or what went wrong, in words of the error table. */
  readonly outcome: string
  /** Milliseconds. */
  readonly duration: number
}

/** What a receipt is written from. */
export interface ReceiptFacts {
  readonly call: Call
  readonly request: ChatRequest
  readonly model: Model
  readonly hold: bigint
  readonly attempts: readonly AttemptRecord[]
  readonly losses: readonly Loss[]
  readonly firstByteAt: number | undefined
  readonly status: "settled" | "released" | "expired"
  /** The deployment that answered. */
  readonly deployment?: Deployment
  readonly usage?: Usage
  readonly estimated?: boolean
  readonly cost?: Cost
}

/** The words callers see for the classes of usage. */
const CLASS_NAMES: Record<UsageClass | "reasoning", string> = {
  inputFresh: "input",
  inputCacheRead: "cached_input",
  inputCacheWrite: "cache_write",
  inputCacheWriteLong: "cache_write_1h",
  output: "output",
  reasoning: "reasoning",
  audioInput: "audio_input",
  audioOutput: "audio_output",
  images: "image",
  characters: "character",
  seconds: "second",
  searches: "search",
}

/** The text of a receipt, as it is kept. What only the book knows is added when it is read. */
export function writeReceipt(facts: ReceiptFacts): string {
  const { call, request, model, deployment, usage, cost } = facts
  return JSON.stringify({
    id: call.id,
    object: "receipt",
    status: facts.status,
    created_at: new Date(call.receivedAt).toISOString(),
    first_byte_ms: facts.firstByteAt === undefined ? null : facts.firstByteAt - call.receivedAt,
    duration_ms: Date.now() - call.receivedAt,
    account: call.key.account,
    key: call.key.id,
    endpoint: call.endpoint,
    model: model.id,
    stream: request.stream,
    deployment: deployment?.id ?? null,
    usage: usage === undefined ? null : namedUsage(usage),
    estimated: facts.estimated ?? false,
    price: deployment?.price === undefined ? null : priceSnapshot(deployment.price),
    arithmetic: cost === undefined ? null : arithmetic(cost),
    cost: formatCredits(cost?.total ?? 0n),
    hold: formatCredits(facts.hold),
    attempts: facts.attempts,
    losses: facts.losses,
  })
}

function namedUsage(usage: Usage): Record<string, number> {
  const named: Record<string, number> = {}
  for (const [name, quantity] of Object.entries(usage) as [keyof Usage, number][]) {
    if (quantity > 0) named[CLASS_NAMES[name]] = quantity
  }
  return named
}

const snapshots = new WeakMap<Price, object>()

/** The rate card, in credits per million units. Prices are immutable, so each is written out once. */
function priceSnapshot(price: Price): object {
  const known = snapshots.get(price)
  if (known) return known
  const perMillion: Record<string, string> = {}
  for (const [name, rate] of Object.entries(price.rates) as [UsageClass, bigint][]) {
    perMillion[CLASS_NAMES[name]] = formatCredits(rate)
  }
  const snapshot = { per_million: perMillion, multiplier: formatMillionths(price.multiplier) }
  snapshots.set(price, snapshot)
  return snapshot
}

function arithmetic(cost: Cost): object {
  return {
    lines: cost.lines.map((line) => ({
      class: CLASS_NAMES[line.class],
      quantity: line.quantity,
      per_million: formatCredits(line.rate),
    })),
    multiplier: formatMillionths(cost.multiplier),
    formula: "ceil(sum(quantity x per_million / 1000000) x multiplier) to the nanocredit",
  }
}

function formatMillionths(millionths: bigint): string {
  return formatCredits(millionths * 1_000n)
}

/** A receipt as it is shown: its text and what the book says of it. */
export function showReceipt(record: ReceiptRecord): Record<string, unknown> {
  const body = JSON.parse(record.body) as Record<string, unknown>
  const { entry } = record
  const charged = entry === null ? 0n : -entry.amount
  return {
    ...body,
    charged: formatCredits(charged),
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
