import { DAY_MS } from "#contract/durations.ts"
import type { Reconciliation, ReconciledLine } from "#contract/reconciliations.ts"
import { MAX_STORED_AMOUNT, storedAmount } from "../../accounting/maxima.ts"
import { GatewayError } from "../../canon/errors.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { CostCorrection } from "../../store/reconciliations.ts"
import type { TimeRange } from "../../store/settlements.ts"
import type { Store } from "../../store/store.ts"
import { type Actor, requireOperator } from "../actor.ts"
import type { Audit } from "../audit.ts"
import { type Bill, BillError, dayText, NANOCREDIT, nanocreditsOf } from "./bill.ts"
import { absolute, compare, type Difference } from "./compare.ts"
import { type LedgerUse, ledgerUses } from "./ledger-uses.ts"
import type { Matching } from "./matching.ts"

const MAX_DAYS = 366
const MAX_LINES = 100
/** Maximum stored length of a name in a bill. */
const MAX_NAME_LENGTH = 200

export interface ReconcileInput extends Matching {
  readonly provider: string
  readonly days: TimeRange
  readonly bill: Bill
  /** The reason for posting the difference as a correction; if absent, nothing is posted. */
  readonly reason?: string | undefined
}

/** Compares the bills of providers with the provider cost in the ledger. */
export class Reconciliations {
  readonly #store: Store
  readonly #audit: Audit

  constructor(store: Store, audit: Audit) {
    this.#store = store
    this.#audit = audit
  }

  /**
   * Returns the latest reconciliation of each provider.
   * @throws GatewayError `forbidden`.
   */
  async list(
    actor: Actor,
  ): Promise<{ readonly object: "list"; readonly data: readonly Reconciliation[] }> {
    requireOperator(actor)
    const records = await this.#store.reconciliations.list()
    return { object: "list", data: records.map(({ body }) => JSON.parse(body) as Reconciliation) }
  }

  /**
   * Compares a bill with the ledger, and stores the result with its corrections.
   * @throws BillError if the days cannot be compared or posted.
   * @throws StoreError `conflict` if the provider was reconciled at the same time.
   */
  async reconcile(actor: Actor, input: ReconcileInput): Promise<Reconciliation> {
    requireOperator(actor)
    const { provider, days, bill, reason } = input
    const { reconciliations, integrity } = this.#store
    const { until: pruned } = await integrity.findPrunedRows()
    if (days.from < pruned) {
      throw new BillError(
        `the receipts before ${dayText(pruned)} were removed`,
        `Compare days from ${dayText(pruned)} on, or keep receipts longer (retention.receipts).`,
      )
    }
    const last = (await reconciliations.list()).find((record) => record.provider === provider)
    const posted = await reconciliations.listCorrections(days)
    const before = posted.filter((correction) => correction.provider === provider)
    const uses = await ledgerUses(this.#store, provider, days)
    const differences = compare(bill.rows, uses, input)
    const corrections = reason === undefined ? [] : correctionsOf(input, uses, before)
    const billed = sumOf(bill.rows)
    const ledger = sumOf(uses)
    const corrected = sumOf(before) * NANOCREDIT
    const at = Date.now()
    const document: Reconciliation = {
      object: "reconciliation",
      provider,
      at: new Date(at).toISOString(),
      from: dayText(days.from),
      to: dayText(days.until),
      source: bill.source,
      billed: creditsText(billed),
      ledger: creditsText(ledger),
      corrected: creditsText(corrected),
      difference: creditsText(billed - ledger - corrected),
      causes: causesOf(differences),
      lines: differences
        .toSorted((left, right) => bySize(left.difference, right.difference))
        .slice(0, MAX_LINES)
        .map(lineDocument),
      skipped_rows: bill.skipped,
      posted: reason === undefined ? null : { amount: formatCredits(sumOf(corrections)), reason },
    }
    const { lines: _, ...after } = document
    const record = { provider, number: (last?.number ?? 0) + 1, at, body: JSON.stringify(document) }
    const change = { action: "provider.reconcile", target: provider, after }
    await this.#audit.perform(actor, change, (audit) =>
      reconciliations.save(record, corrections, audit),
    )
    return document
  }
}

/**
 * Returns those amounts of each day's bill that are not in receipts or earlier corrections.
 * @throws BillError
 */
function correctionsOf(
  { provider, bill, days }: ReconcileInput,
  uses: readonly LedgerUse[],
  before: readonly CostCorrection[],
): CostCorrection[] {
  const missing = new Map<number, bigint>()
  for (const { day, amount } of bill.rows) missing.set(day, (missing.get(day) ?? 0n) + amount)
  const known = [
    ...uses,
    ...before.map(({ day, amount }) => ({ day, amount: amount * NANOCREDIT })),
  ]
  for (const { day, amount } of known) {
    const left = missing.get(day)
    if (left === undefined) {
      throw new BillError(
        `the ledger has calls on ${dayText(day)}, and the bill has no rows for that day`,
        `Post only days that the bill covers, from ${dayText(days.from)} on.`,
      )
    }
    missing.set(day, left - amount)
  }
  return [...missing].flatMap(([day, exact]) => {
    const amount = nanocreditsOf(exact)
    if (amount !== storedAmount(amount)) {
      throw new BillError(
        `the correction for ${dayText(day)} is ${formatCredits(amount)} credits, above the maximum of ${formatCredits(MAX_STORED_AMOUNT)}`,
        "Check the amounts and the currency of the bill. Nothing was posted.",
      )
    }
    return amount === 0n ? [] : [{ provider, day, amount }]
  })
}

function sumOf(rows: readonly { readonly amount: bigint }[]): bigint {
  return rows.reduce((sum, { amount }) => sum + amount, 0n)
}

function creditsText(amount: bigint): string {
  return formatCredits(nanocreditsOf(amount))
}

function causesOf(differences: readonly Difference[]): Reconciliation["causes"] {
  const causes = new Map<Difference["cause"], { lines: number; amount: bigint }>()
  for (const { cause, difference } of differences) {
    const { lines, amount } = causes.get(cause) ?? { lines: 0, amount: 0n }
    causes.set(cause, { lines: lines + 1, amount: amount + difference })
  }
  return [...causes]
    .toSorted(([, left], [, right]) => bySize(left.amount, right.amount))
    .map(([cause, { lines, amount }]) => ({ cause, lines, difference: creditsText(amount) }))
}

/** Sorts by absolute amount, the largest first. */
function bySize(left: bigint, right: bigint): number {
  const difference = absolute(right) - absolute(left)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

function lineDocument(line: Difference): ReconciledLine {
  const { billed, ledger } = line
  return {
    day: dayText(line.day),
    model: line.model.slice(0, MAX_NAME_LENGTH),
    key: line.key,
    class: line.class,
    billed: creditsText(billed?.amount ?? 0n),
    ledger: creditsText(ledger?.amount ?? 0n),
    billed_quantity: billed?.quantity?.toString() ?? null,
    ledger_quantity: ledger?.quantity?.toString() ?? null,
    difference: creditsText(line.difference),
    cause: line.cause,
  }
}

/**
 * Checks that a provider's bill for the days can be complete.
 * @throws GatewayError `invalid_value`.
 */
export function checkDays({ from, until }: TimeRange, now: number): void {
  const fault =
    from >= until
      ? "'to' must be later than 'from'."
      : until > now
        ? "Only past days can be compared, because the bill of a day is complete only afterwards. Choose an earlier 'to'."
        : until - from > MAX_DAYS * DAY_MS
          ? `At most ${MAX_DAYS} days can be compared at once.`
          : undefined
  if (fault !== undefined) throw new GatewayError("invalid_value", fault, { parameter: "to" })
}
