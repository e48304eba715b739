import { OUTCOMES_WITHOUT_FAILURE } from "#contract/outcomes.ts"
import { INPUT_CLASSES, NAME_OF_CLASS, OUTPUT_CLASSES } from "#contract/usage-classes.ts"
import type { Labels } from "../accounting/labels.ts"
import { MAX_QUANTITY, reportedAmount } from "../accounting/maxima.ts"
import { restoreReceipt } from "../accounting/stored-receipt.ts"
import { parseDecimal } from "#contract/decimal.ts"
import type { SumName } from "./request-names.ts"
import type { RequestRecord } from "./requests.ts"

/** A receipt with its charge, in the form in which the ledger returns it. */
export interface LedgerRow {
  readonly row: bigint
  readonly account: string
  readonly at: bigint
  readonly request: string | null
  readonly key: string | null
  readonly amount: bigint | null
  readonly written_off: bigint | null
  /** The row of the expired receipt that this receipt has replaced; null if it has not replaced a receipt. */
  readonly replaces: bigint | null
  readonly receipt: string | null
}

/** The data of a request that is indexed. */
export type RequestSummary = Omit<RequestRecord, "keyName"> & { readonly failed: boolean }

/** Returns a name of a request in the form of the sums; empty if it has none. */
export function nameOf(request: RequestSummary, name: SumName): string {
  return (name === "price_group" ? request.priceGroup : request[name]) ?? ""
}

interface CostLine {
  readonly quantity?: unknown
  readonly per_million?: unknown
}

interface ReceiptAttempt {
  readonly deployment?: unknown
  readonly outcome?: unknown
  readonly provider_cost?: unknown
}

/** The fields of a receipt that are read. Old or imported receipts may lack any of them. */
interface ReceiptText {
  readonly status?: unknown
  readonly endpoint?: unknown
  readonly model?: unknown
  readonly stream?: unknown
  readonly estimated?: unknown
  readonly deployment?: unknown
  readonly duration_ms?: unknown
  readonly first_byte_ms?: unknown
  readonly usage?: Readonly<Record<string, unknown>> | null
  readonly user?: unknown
  readonly session?: unknown
  readonly tags?: unknown
  readonly cost?: unknown
  readonly provider_cost?: unknown
  readonly price?: { readonly multiplier?: unknown; readonly group?: unknown } | null
  readonly arithmetic?: readonly CostLine[] | null
  readonly attempts?: readonly ReceiptAttempt[]
}

const NO_LABELS: Labels = {}
const INPUT_NAMES = INPUT_CLASSES.map((usageClass) => NAME_OF_CLASS[usageClass])
const OUTPUT_NAMES = OUTPUT_CLASSES.map((usageClass) => NAME_OF_CLASS[usageClass])

/** The outcome of a call that was cancelled because another call had answered. */
const NOT_NEEDED = "not_needed"

/** Returns the indexed data of a row of the ledger; undefined if the row does not belong to a request. */
export function summarize(row: LedgerRow): RequestSummary | undefined {
  const { request, key, amount } = row
  if (request === null || key === null || row.receipt === null) return undefined
  const receipt = parseReceipt(row.receipt)
  const status = statusOf(receipt, amount)
  const attempts = Array.isArray(receipt.attempts) ? receipt.attempts : []
  const last = attempts.findLast(({ outcome }) => outcome !== NOT_NEEDED)
  const writtenOff = reportedAmount(row.written_off ?? 0n)
  const outcome = outcomeOf(status, textOf(last?.outcome), writtenOff)
  return {
    row: Number(row.row),
    request,
    account: row.account,
    key,
    endpoint: textOf(receipt.endpoint) ?? "",
    model: textOf(receipt.model) ?? "",
    provider: providerOf(textOf(receipt.deployment) ?? textOf(last?.deployment)),
    priceGroup: priceGroupOf(receipt),
    status,
    outcome,
    failed: !OUTCOMES_WITHOUT_FAILURE.has(outcome),
    stream: receipt.stream === true,
    estimated: receipt.estimated === true,
    at: Number(row.at),
    // The receipt of an expired request was written before the request ended, so its duration is unknown.
    duration: status === "expired" ? null : wholeOf(receipt.duration_ms),
    firstByte: wholeOf(receipt.first_byte_ms),
    input: sumOf(receipt.usage, INPUT_NAMES),
    output: sumOf(receipt.usage, OUTPUT_NAMES),
    cost: amount === null ? 0n : -amount,
    writtenOff,
    providerCost: reportedAmount(providerCostOf(receipt) + lostCostOf(attempts)),
    labels: labelsOf(receipt),
  }
}

const CREDIT_PLACES = 9
const MILLION = 1_000_000n
/** The multiplier 1, which most receipts have. */
const ONE = "1"

/**
 * Returns the provider cost of the response in nanocredits. If the receipt does not contain it, it is the cost before
 * the multiplier.
 */
function providerCostOf({ cost, price, arithmetic, provider_cost: own }: ReceiptText): bigint {
  if (own !== undefined) return amountOf(own)
  if (price?.multiplier === ONE) return amountOf(cost)
  if (!Array.isArray(arithmetic)) return 0n
  let sum = 0n
  for (const { quantity, per_million: rate } of arithmetic as readonly CostLine[]) {
    if (typeof quantity === "number" && Number.isSafeInteger(quantity)) {
      sum += BigInt(quantity) * amountOf(rate)
    }
  }
  return (sum + MILLION - 1n) / MILLION
}

/** Returns the provider cost of failed attempts. */
function lostCostOf(attempts: readonly ReceiptAttempt[]): bigint {
  let sum = 0n
  for (const { provider_cost: cost } of attempts) if (cost !== undefined) sum += amountOf(cost)
  return sum
}

function amountOf(text: unknown): bigint {
  if (typeof text !== "string") return 0n
  try {
    return parseDecimal(text, CREDIT_PLACES)
  } catch {
    return 0n
  }
}

function labelsOf({ user, session, tags }: ReceiptText): Labels {
  if (user === undefined && session === undefined && tags === undefined) return NO_LABELS
  const known = typeof tags === "object" && tags !== null ? Object.entries(tags) : []
  return {
    ...(typeof user === "string" && { user }),
    ...(typeof session === "string" && { session }),
    ...(known.length > 0 && {
      tags: Object.fromEntries(known.filter(([, value]) => typeof value === "string")),
    }),
  }
}

function parseReceipt(text: string): ReceiptText {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
      ? restoreReceipt(value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

function statusOf(receipt: ReceiptText, amount: bigint | null): RequestSummary["status"] {
  const { status } = receipt
  if (status === "settled" || status === "released" || status === "expired") return status
  return amount === null ? "released" : "settled"
}

function outcomeOf(
  status: RequestSummary["status"],
  last: string | null,
  writtenOff: bigint,
): string {
  if (status === "expired") return "expired"
  if (last !== null && last !== "ok") return last
  if (writtenOff > 0n) return "written_off"
  return status === "settled" ? "ok" : "released"
}

/** Returns the provider of a deployment, whose id starts with the provider's id. */
function providerOf(deployment: string | null): string | null {
  return deployment?.split("/", 1)[0] ?? null
}

function priceGroupOf({ price }: ReceiptText): string | null {
  const group = price?.group
  return typeof group === "object" && group !== null && "id" in group ? textOf(group.id) : null
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

/** Receipts of older versions may contain any number. */
function wholeOf(value: unknown): number | null {
  if (typeof value !== "number" || !Number.isFinite(value)) return null
  return Math.max(-MAX_QUANTITY, Math.min(MAX_QUANTITY, Math.round(value)))
}

function sumOf(usage: ReceiptText["usage"], classes: readonly string[]): number {
  let sum = 0
  for (const name of classes) sum += wholeOf(usage?.[name]) ?? 0
  return Math.min(sum, MAX_QUANTITY)
}
