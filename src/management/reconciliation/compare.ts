import type { DifferenceCause } from "#contract/reconciliations.ts"
import { AMOUNT_PLACES, type BillRow, NANOCREDIT } from "./bill.ts"
import type { LedgerUse } from "./ledger-uses.ts"
import { type Match, matchesOf, type Matching } from "./matching.ts"

/** Minimum decimal places of a bill. Bills are exact to the cent, even if their amounts happen to have fewer digits. */
const MIN_PLACES = 2
/** Reciprocal of the relative tolerance for recognizing a single factor, which is one in a thousand. */
const FACTOR_PRECISION = 1_000n
const MIN_FACTOR_LINES = 3

interface Side {
  readonly amount: bigint
  /** Number of units; null if unknown. */
  readonly quantity: bigint | null
}

/** A difference between the bill and the ledger. Amounts are in units of 10^-18 credits. */
export interface Difference extends Match {
  /** The billed side; undefined if the bill has no matching rows. */
  readonly billed: Side | undefined
  readonly ledger: Side | undefined
  readonly difference: bigint
  readonly cause: DifferenceCause
}

/** Compares a bill with the ledger by day and model, and by key and class if both sides have them. */
export function compare(
  rows: readonly BillRow[],
  uses: readonly LedgerUse[],
  matching: Matching,
): Difference[] {
  const places = rows.reduce((max, row) => Math.max(max, row.places), MIN_PLACES)
  const step = 10n ** BigInt(AMOUNT_PLACES - Math.min(places, AMOUNT_PLACES))
  const lines = matchesOf(rows, uses, matching).map((match) => {
    const billed = sideOf(match.rows)
    const ledger = sideOf(match.uses)
    const difference = (billed?.amount ?? 0n) - (ledger?.amount ?? 0n)
    const line = { ...match, billed, ledger, difference }
    return { ...line, cause: causeOf(line, step) }
  })
  return withFactor(lines).filter(({ difference }) => difference !== 0n)
}

function sideOf(rows: readonly (BillRow | LedgerUse)[]): Side | undefined {
  if (rows.length === 0) return undefined
  let amount = 0n
  let quantity: bigint | null = 0n
  for (const row of rows) {
    amount += row.amount
    quantity = quantity === null || row.quantity === null ? null : quantity + row.quantity
  }
  return { amount, quantity }
}

/**
 * Returns the cause of a difference.
 * @param step the smallest amount that the bill can express.
 */
function causeOf(line: Omit<Difference, "cause">, step: bigint): DifferenceCause {
  const { rows, uses, billed, ledger, difference } = line
  const requests = uses.reduce((sum, use) => sum + use.requests, 0)
  const isUncertain = uses.some((use) => use.isUncertain)
  // Each receipt rounds its provider cost up to a nanocredit.
  const tolerance = (BigInt(rows.length) * step) / 2n + BigInt(requests) * NANOCREDIT
  if (absolute(difference) <= tolerance && billed && ledger) return "rounding"
  if (ledger === undefined) return difference > 0n ? "other_clients" : "unclear"
  if (billed === undefined) return isUncertain ? "abandoned_calls" : "not_billed"
  const otherTier = hasOtherTier(rows, uses)
  if (billed.quantity === null || ledger.quantity === null) {
    if (otherTier) return "tier"
    return isUncertain ? "abandoned_calls" : "unclear"
  }
  const surplus = billed.quantity - ledger.quantity
  // The bill may have rounded each quantity.
  if (absolute(surplus) <= BigInt(rows.length) / 2n) return otherTier ? "tier" : "stale_price"
  if (surplus > 0n && requestsOf(rows) > requests) return "other_clients"
  if (isUncertain) return "abandoned_calls"
  return surplus > 0n ? "other_clients" : "not_billed"
}

/** Returns the number of requests on the bill; 0 if unknown. Rows of several classes count the same requests. */
function requestsOf(rows: readonly BillRow[]): number {
  return rows.reduce((max, { requests }) => Math.max(max, requests ?? 0), 0)
}

/** Service tiers by the names that providers use. OpenAI also calls its priority tier `fast`. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ["batch", "batch"],
  ["fast", "priority"],
  ["flex", "flex"],
  ["priority", "priority"],
  ["scale", "scale"],
  ["ultrafast", "ultrafast"],
])

function tiersIn(text: string): string[] {
  return (text.toLowerCase().match(/\w+/g) ?? []).flatMap((word) => TIERS.get(word) ?? [])
}

function hasOtherTier(rows: readonly BillRow[], uses: readonly LedgerUse[]): boolean {
  const texts = rows.flatMap((row) => (row.isDescription ? row.model : row.tiers))
  const billed = new Set(texts.flatMap(tiersIn))
  const own = new Set(uses.flatMap(({ tiers }) => [...tiers].flatMap(tiersIn)))
  return billed.size !== own.size || [...billed].some((tier) => !own.has(tier))
}

/** Sets the cause to a factor if all amounts of at least two models differ by this factor. */
function withFactor(lines: Difference[]): Difference[] {
  const both = lines.filter(({ billed, ledger }) => billed?.amount && ledger?.amount)
  const [first] = both
  const isFactor =
    first !== undefined &&
    both.length >= MIN_FACTOR_LINES &&
    new Set(both.map(({ model }) => model)).size > 1 &&
    both.every(
      (line) =>
        (line.cause === "stale_price" || line.cause === "unclear") && hasSameFactor(line, first),
    )
  if (!isFactor) return lines
  const factored = new Set(both)
  return lines.map((line) => (factored.has(line) ? { ...line, cause: "factor" } : line))
}

function hasSameFactor(left: Difference, right: Difference): boolean {
  const one = (left.billed?.amount ?? 0n) * (right.ledger?.amount ?? 0n)
  const other = (right.billed?.amount ?? 0n) * (left.ledger?.amount ?? 0n)
  return absolute(one - other) * FACTOR_PRECISION <= absolute(one)
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
