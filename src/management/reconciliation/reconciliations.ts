import type { Reconciliation, ReconciledLine } from "#contract/reconciliations.ts"
import { GatewayError } from "../../canon/errors.ts"
import { formatCredits } from "../../ledger/money.ts"
import { storedAmount } from "../../accounting/maxima.ts"
import type { CostCorrection } from "../../store/reconciliations.ts"
import type { Store } from "../../store/store.ts"
import { type Actor, requireOperator } from "../actor.ts"
import type { Audit } from "../audit.ts"
import { AMOUNT_PLACES, type Bill, BillError, type Days, nanocreditsOf } from "./bill.ts"
import { compare, type Difference } from "./compare.ts"
import { dayText } from "./cost-request.ts"
import { type LedgerUse, ledgerUses } from "./ledger-uses.ts"
import { ModelNames } from "./model-names.ts"

const MAX_LINES = 100
/** Characters of a name in a bill that are stored. */
const MAX_NAME_LENGTH = 200
const TO_AMOUNT = 10n ** BigInt(AMOUNT_PLACES - 9)

/** A bill, and how it is compared. */
export interface ReconcileInput {
  readonly provider: string
  readonly days: Days
  readonly bill: Bill
  /** The provider's names of its models. */
  readonly models: Iterable<string>
  /** The models that texts of the bill mean. */
  readonly aliases?: ReadonlyMap<string, string>
  /** The credentials of the bill's keys; absent: keys are not compared. */
  readonly keys?: ReadonlyMap<string, string>
  /** Posts what differs as a correction of the provider cost; absent: nothing is posted. */
  readonly reason?: string
}

/** Compares what providers bill with the provider cost in the ledger. */
export class Reconciliations {
  readonly #store: Store
  readonly #audit: Audit

  constructor(store: Store, audit: Audit) {
    this.#store = store
    this.#audit = audit
  }

  /** The last one of each provider. @throws GatewayError `forbidden`. */
  async list(
    actor: Actor,
  ): Promise<{ readonly object: "list"; readonly data: readonly Reconciliation[] }> {
    requireOperator(actor)
    const records = await this.#store.reconciliations.list()
    return { object: "list", data: records.map(({ body }) => JSON.parse(body) as Reconciliation) }
  }

  /**
   * Compares a bill with the ledger, and stores the result with its correction.
   * @throws BillError if the days cannot be compared or posted; StoreError `conflict` if the provider was reconciled meanwhile.
   */
  async reconcile(actor: Actor, input: ReconcileInput): Promise<Reconciliation> {
    requireOperator(actor)
    const { provider, days, bill, reason } = input
    const { reconciliations, integrity } = this.#store
    const { until: sealed } = await integrity.findSeal()
    if (days.from < sealed) {
      throw new BillError(
        `receipts from before ${dayText(sealed)} were removed`,
        `Compare days from ${dayText(sealed)} on, or keep receipts longer (retention.receipts).`,
      )
    }
    const last = (await reconciliations.list()).find((record) => record.provider === provider)
    const posted = await reconciliations.listCorrections(days)
    const before = posted.filter((correction) => correction.provider === provider)
    const uses = await ledgerUses(this.#store, provider, days)
    const { keys, aliases } = input
    const names = new ModelNames([...input.models, ...uses.map(({ model }) => model)], aliases)
    const differences = compare(bill.rows, uses, { names, keys })
    const corrections = reason === undefined ? [] : correctionsOf(input, uses, before)
    const sums = {
      billed: sumOf(bill.rows),
      ledger: sumOf(uses),
      corrected: before.reduce((sum, { amount }) => sum + amount * TO_AMOUNT, 0n),
    }
    const at = Date.now()
    const document: Reconciliation = {
      object: "reconciliation",
      provider,
      at: new Date(at).toISOString(),
      from: dayText(days.from),
      to: dayText(days.until),
      source: bill.source,
      billed: creditsText(sums.billed),
      ledger: creditsText(sums.ledger),
      corrected: creditsText(sums.corrected),
      difference: creditsText(sums.billed - sums.ledger - sums.corrected),
      causes: causesOf(differences),
      lines: largest(differences).map(lineDocument),
      skipped_rows: bill.skipped,
      posted:
        reason === undefined
          ? null
          : {
              amount: formatCredits(corrections.reduce((sum, one) => sum + one.amount, 0n)),
              reason,
            },
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

/** What each day's bill has beyond the receipts and the corrections before. @throws BillError */
function correctionsOf(
  { provider, bill, days }: ReconcileInput,
  uses: readonly LedgerUse[],
  before: readonly CostCorrection[],
): CostCorrection[] {
  const missing = new Map<number, bigint>()
  const add = (day: number, amount: bigint) => missing.set(day, (missing.get(day) ?? 0n) + amount)
  for (const { day, amount } of bill.rows) add(day, amount)
  const billedDays = new Set(missing.keys())
  const own = [...uses, ...before.map(({ day, amount }) => ({ day, amount: amount * TO_AMOUNT }))]
  for (const { day, amount } of own) {
    if (!billedDays.has(day)) {
      throw new BillError(
        `the bill has nothing of ${dayText(day)}, and the ledger has`,
        `Post days that the bill covers: ${dayText(days.from)} is the first one asked for.`,
      )
    }
    add(day, -amount)
  }
  return [...missing].flatMap(([day, exact]) => {
    const amount = storedAmount(nanocreditsOf(exact))
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

function largest(differences: readonly Difference[]): Difference[] {
  return differences
    .toSorted((left, right) => bySize(left.difference, right.difference))
    .slice(0, MAX_LINES)
}

/** The largest amounts first, whatever their sign. */
function bySize(left: bigint, right: bigint): number {
  const sizes = [left, right].map((amount) => (amount < 0n ? -amount : amount)) as [bigint, bigint]
  return sizes[1] > sizes[0] ? 1 : sizes[1] < sizes[0] ? -1 : 0
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

/** @throws GatewayError `invalid_value`. */
export function checkDays({ from, until }: Days, now: number): void {
  const fault =
    from >= until
      ? "'to' must be later than 'from'."
      : until > now
        ? "Only days that are over can be compared: bills have them in full. Choose an earlier 'to'."
        : until - from > MAX_DAYS * 86_400_000
          ? `At most ${MAX_DAYS} days can be compared at once.`
          : undefined
  if (fault !== undefined) throw new GatewayError("invalid_value", fault, { parameter: "to" })
}

const MAX_DAYS = 366
