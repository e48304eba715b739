import type { DifferenceCause } from "#contract/reconciliations.ts"
import type { PriceName } from "#contract/usage-classes.ts"
import { AMOUNT_PLACES, type BillRow } from "./bill.ts"
import type { LedgerUse } from "./ledger-uses.ts"
import type { ModelNames } from "./model-names.ts"

/** Fewer digits after the point than of cents are an accident of the amounts. */
const MIN_PLACES = 2
/** A receipt's provider cost is rounded up to a billionth of a credit. */
const RECEIPT_ROUNDING = 10n ** BigInt(AMOUNT_PLACES - 9)
/** Amounts differ by one factor if they do to a part in so many. */
const FACTOR_PRECISION = 1_000n
const MIN_FACTOR_LINES = 3

interface Side {
  readonly amount: bigint
  /** Null: it is not known. */
  readonly quantity: bigint | null
}

/** Something that differs. Amounts are in units of 10^-18 credits. */
export interface Difference {
  readonly day: number
  readonly model: string
  readonly key: string | null
  readonly class: PriceName | null
  readonly billed: Side | undefined
  readonly ledger: Side | undefined
  readonly difference: bigint
  readonly cause: DifferenceCause
}

interface Part {
  readonly class: PriceName | null
  readonly rows: BillRow[]
  readonly uses: LedgerUse[]
}

/** What a day has of a model and a key. */
interface Group {
  readonly day: number
  readonly model: string
  readonly key: string | null
  readonly parts: Map<PriceName | null, Part>
}

/** How rows of both sides are put side by side. */
export interface Matching {
  readonly names: ModelNames
  /** The credentials of the bill's keys; undefined: keys are not compared. */
  readonly keys: ReadonlyMap<string, string> | undefined
}

/** Compares a bill with the ledger by day, model, key and class, as far as both have them. */
export function compare(
  rows: readonly BillRow[],
  uses: readonly LedgerUse[],
  matching: Matching,
): Difference[] {
  const groups = groupsOf(rows, uses, matching)
  const step = 10n ** BigInt(AMOUNT_PLACES - Math.min(placesOf(rows), AMOUNT_PLACES))
  const lines = groups.flatMap((group) => partsOf(group).map((part) => lineOf(group, part, step)))
  return withFactor(lines).filter(({ difference }) => difference !== 0n)
}

function placesOf(rows: readonly BillRow[]): number {
  return rows.reduce((most, { places }) => Math.max(most, places), MIN_PLACES)
}

function groupsOf(
  rows: readonly BillRow[],
  uses: readonly LedgerUse[],
  { names, keys }: Matching,
): Group[] {
  const groups = new Map<string, Group>()
  const partAt = (place: Pick<Group, "day" | "model" | "key">, name: PriceName | null): Part => {
    const id = JSON.stringify([place.day, place.model, place.key])
    const group = groups.get(id) ?? { ...place, parts: new Map() }
    groups.set(id, group)
    const part = group.parts.get(name) ?? { class: name, rows: [], uses: [] }
    group.parts.set(name, part)
    return part
  }
  // Fees that the bill has for no model are compared for all models together.
  const fees = new Set<PriceName | null>()
  for (const row of rows) {
    const key = keys === undefined || row.key === null ? null : (keys.get(row.key) ?? row.key)
    const model = names.find(row.model, row.isDescription)
    if (model === "" && row.class !== null) fees.add(row.class)
    partAt({ day: row.day, model, key }, row.class).rows.push(row)
  }
  for (const use of uses) {
    const model = fees.has(use.class) ? "" : names.find(use.model, false)
    partAt({ day: use.day, model, key: keys === undefined ? null : use.key }, use.class).uses.push(
      use,
    )
  }
  return [...groups.values()]
}

/** By class if both sides have the same classes, else all together. */
function partsOf({ parts }: Group): Part[] {
  const all = [...parts.values()]
  const isByClass = all.every(
    (part) => part.class !== null && part.rows.length > 0 && part.uses.length > 0,
  )
  if (isByClass) return all
  const rows = all.flatMap((part) => part.rows)
  const uses = all.flatMap((part) => part.uses)
  const [only] = all
  return [{ class: all.length === 1 && only ? only.class : null, rows, uses }]
}

function lineOf(group: Group, part: Part, step: bigint): Difference {
  const { day, model, key } = group
  const billed = part.rows.length === 0 ? undefined : sideOf(part.rows)
  const ledger = part.uses.length === 0 ? undefined : sideOf(part.uses)
  const difference = (billed?.amount ?? 0n) - (ledger?.amount ?? 0n)
  const line = { day, model, key, class: part.class, billed, ledger, difference }
  return { ...line, cause: causeOf(line, part, step) }
}

function sideOf(rows: readonly (BillRow | LedgerUse)[]): Side {
  let amount = 0n
  let quantity: bigint | null = 0n
  for (const row of rows) {
    amount += row.amount
    quantity = quantity === null || row.quantity === null ? null : quantity + row.quantity
  }
  return { amount, quantity }
}

type Line = Omit<Difference, "cause">

function causeOf(line: Line, { rows, uses }: Part, step: bigint): DifferenceCause {
  const { billed, ledger, difference } = line
  const requests = uses.reduce((sum, use) => sum + use.requests, 0)
  const isUncertain = uses.some(({ uncertain }) => uncertain > 0n)
  const tolerance = (BigInt(rows.length) * step) / 2n + BigInt(requests) * RECEIPT_ROUNDING
  if (absolute(difference) <= tolerance && billed && ledger) return "rounding"
  if (ledger === undefined) return difference > 0n ? "other_clients" : "unclear"
  if (billed === undefined) return isUncertain ? "abandoned_calls" : "not_billed"
  const otherTier = hasOtherTier(rows, uses)
  if (billed.quantity === null || ledger.quantity === null) {
    if (otherTier) return "tier"
    return isUncertain ? "abandoned_calls" : "unclear"
  }
  const surplus = billed.quantity - ledger.quantity
  // The bill can round each quantity.
  if (absolute(surplus) <= BigInt(rows.length) / 2n) return otherTier ? "tier" : "stale_price"
  const billedRequests = requestsOf(rows)
  if (surplus > 0n && billedRequests !== null && billedRequests > requests) return "other_clients"
  if (isUncertain) return "abandoned_calls"
  return surplus > 0n ? "other_clients" : "not_billed"
}

/** Null: the bill does not say. Rows of several classes count the same requests. */
function requestsOf(rows: readonly BillRow[]): number | null {
  const counts = rows.flatMap(({ requests }) => requests ?? [])
  return counts.length === 0 ? null : Math.max(...counts)
}

/** Modes of service that are tiers, by one name each: OpenAI calls its priority tier `fast` as well. */
const TIERS: Readonly<Record<string, string>> = {
  batch: "batch",
  fast: "priority",
  flex: "flex",
  priority: "priority",
  scale: "scale",
  ultrafast: "ultrafast",
}

function tierOf(mode: string): string[] {
  const tier = Object.hasOwn(TIERS, mode) ? TIERS[mode] : undefined
  return tier === undefined ? [] : [tier]
}

function hasOtherTier(rows: readonly BillRow[], uses: readonly LedgerUse[]): boolean {
  const billed = new Set(rows.flatMap(({ tiers }) => tiers.flatMap(tierOf)))
  const own = new Set(uses.flatMap(({ tiers }) => [...tiers].flatMap(tierOf)))
  return billed.size !== own.size || [...billed].some((tier) => !own.has(tier))
}

/** Names one factor as the cause, if all amounts of at least two models that are on both sides differ by it. */
function withFactor(lines: readonly Difference[]): Difference[] {
  const both = lines.filter(({ billed, ledger }) => billed?.amount && ledger?.amount)
  const [first] = both
  const isFactor =
    first?.billed !== undefined &&
    first.ledger !== undefined &&
    both.length >= MIN_FACTOR_LINES &&
    new Set(both.map(({ model }) => model)).size > 1 &&
    both.every(
      (line) =>
        (line.cause === "stale_price" || line.cause === "unclear") && hasSameFactor(line, first),
    )
  if (!isFactor) return [...lines]
  return lines.map((line) => (both.includes(line) ? { ...line, cause: "factor" } : line))
}

function hasSameFactor(left: Difference, right: Difference): boolean {
  const one = (left.billed?.amount ?? 0n) * (right.ledger?.amount ?? 0n)
  const other = (right.billed?.amount ?? 0n) * (left.ledger?.amount ?? 0n)
  return absolute(one - other) * FACTOR_PRECISION <= absolute(one)
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
