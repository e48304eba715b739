import type { BillingGaps, BillingGapsQuery, GapSum } from "#contract/billing-gaps.ts"
import { restoreReceipt } from "../accounting/stored-receipt.ts"
import { GatewayError } from "../canon/errors.ts"
import { isJsonObject, parseJsonObject } from "../canon/json.ts"
import { formatCredits, parseCredits } from "../ledger/money.ts"
import type { ReceiptRecord } from "../store/settlements.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { type ReceiptReader, receiptsOfTime } from "./receipts-of-time.ts"
import { momentOrNull } from "./moment-text.ts"

/** Maximum receipts that one report of the management API reads. */
const MAX_RECEIPTS = 50_000

/** The totals of one kind of gap, by name. */
class Gap {
  readonly #rows = new Map<string, { requests: number; amount: bigint }>()
  #requests = 0
  #amount = 0n

  /** Counts one request with several amounts, each of which has a name. */
  add(parts: readonly (readonly [name: string, amount: bigint])[]): void {
    if (parts.length === 0) return
    this.#requests++
    for (const [name, own] of Map.groupBy(parts, ([name]) => name)) {
      const amount = own.reduce((sum, [, part]) => sum + part, 0n)
      this.#count(name, amount)
      this.#amount += amount
    }
  }

  /** Counts one request with a single amount under several names. */
  addOnce(names: readonly string[], amount: bigint): void {
    if (names.length === 0) return
    this.#requests++
    this.#amount += amount
    for (const name of names) this.#count(name, amount)
  }

  #count(name: string, amount: bigint): void {
    const row = this.#rows.get(name) ?? { requests: 0, amount: 0n }
    this.#rows.set(name, { requests: row.requests + 1, amount: row.amount + amount })
  }

  document(): GapSum {
    const rows = [...this.#rows]
      .toSorted(([, { amount: left }], [, { amount: right }]) => Number(right - left))
      .map(([name, { requests, amount }]) => ({ name, requests, amount: formatCredits(amount) }))
    return { requests: this.#requests, amount: formatCredits(this.#amount), rows }
  }
}

/** Reports differences between charges and provider bills, based on the receipts of a time range. */
export class BillingGapReports {
  readonly #reader: ReceiptReader

  constructor(reader: ReceiptReader) {
    this.#reader = reader
  }

  /**
   * Returns the report.
   * @param max maximum receipts to read.
   * @throws GatewayError `forbidden`, `invalid_value`.
   */
  async report(
    actor: Actor,
    { account, from, to }: BillingGapsQuery,
    max = MAX_RECEIPTS,
  ): Promise<BillingGaps> {
    requireOperator(actor)
    const filter = { account, from: Date.parse(from), until: Date.parse(to) }
    if (!(filter.from < filter.until)) {
      throw new GatewayError("invalid_value", "'to' must be later than 'from'.", {
        parameter: "to",
      })
    }
    const gaps = {
      estimated: new Gap(),
      unpriced: new Gap(),
      written_off: new Gap(),
      uncharged: new Gap(),
    }
    let read = 0
    let last = filter.from
    let countedTo: number | null = null
    for await (const receipt of receiptsOfTime(this.#reader, filter)) {
      if (read === max) {
        countedTo = last
        break
      }
      addReceipt(gaps, receipt)
      last = receipt.at
      read++
    }
    return {
      object: "billing_gaps",
      receipts: read,
      counted_to: momentOrNull(countedTo),
      estimated: gaps.estimated.document(),
      unpriced: gaps.unpriced.document(),
      written_off: gaps.written_off.document(),
      uncharged: gaps.uncharged.document(),
    }
  }
}

type Gaps = Readonly<Record<"estimated" | "unpriced" | "written_off" | "uncharged", Gap>>

function addReceipt(gaps: Gaps, { body, entry, writtenOff }: ReceiptRecord): void {
  const { estimated, deployment, unpriced, attempts } = restoreReceipt(parseJsonObject(body) ?? {})
  const charged = entry === null ? 0n : -entry.amount
  if (estimated === true) gaps.estimated.addOnce([String(deployment ?? "")], charged)
  if (Array.isArray(unpriced)) gaps.unpriced.addOnce(unpriced.map(String), charged)
  gaps.written_off.add(writtenOff.map(({ reason, amount }) => [reason, amount] as const))
  gaps.uncharged.add(Array.isArray(attempts) ? attempts.flatMap(unchargedOf) : [])
}

/** Returns the operator's cost of an uncharged attempt. */
function unchargedOf(attempt: unknown): readonly (readonly [string, bigint])[] {
  if (!isJsonObject(attempt)) return []
  const { outcome, provider_cost: cost } = attempt
  if (typeof cost !== "string") return []
  try {
    return [[String(outcome ?? ""), parseCredits(cost)]]
  } catch {
    return []
  }
}
