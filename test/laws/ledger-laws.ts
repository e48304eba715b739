/** Defines the accounts and keys that spend, and the invariants of the ledger file. */
import type { Batch } from "../../src/store/settlements.ts"
import type { Payer } from "../../src/accounting/payer.ts"
import type { Hold } from "../../src/ledger/hold.ts"
import type { Ledger } from "../../src/ledger/ledger.ts"
import { payerOf } from "../store/test-database.ts"

export const ACCOUNTS = ["left", "right"] as const
export const KEY = "thrifty"
/** The payers of requests: two accounts, and a key of the first account that has budgets. */
export const SPENDERS = ["left", "right", KEY] as const
export type Spender = (typeof SPENDERS)[number]

/** The total, daily and monthly budget of the key; null: no budget. */
export interface Limits {
  readonly budget: bigint | null
  readonly dailyBudget: bigint | null
  readonly monthlyBudget: bigint | null
}

export interface Member {
  id: string
  readonly ledger: Ledger
  readonly life: Life
  /** The last version of the key that this process has loaded. */
  payerAt: (now: number) => Payer
}

export function payer(member: Member, spender: Spender): Payer {
  return spender === KEY ? member.payerAt(Date.now()) : payerOf(spender, "plain")
}

/**
 * The lifetime of a process. After a crash, calls of the process no longer reach the store, and no results reach the
 * process.
 */
export class Life {
  readonly #end = Promise.withResolvers<void>()
  readonly ended = this.#end.promise
  #hasEnded = false

  end(): void {
    this.#hasEnded = true
    this.#end.resolve()
  }

  /** Performs one step of the store for the process. */
  async through<T>(step: () => Promise<T>): Promise<T> {
    await new Promise(setImmediate)
    if (this.#hasEnded) return never()
    const [response] = await Promise.allSettled([step()])
    if (this.#hasEnded) return never()
    if (response.status === "rejected") throw response.reason
    return response.value
  }
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {})
}

export interface PostedBatch {
  readonly node: string
  readonly batch: Batch
  readonly charged: readonly bigint[]
}

export interface OpenHold {
  readonly member: Member
  readonly hold: Hold
}

/** The invariants that must hold between steps. Each is an SQL query that finds violations. */
export const LAWS: Readonly<Record<string, string>> = {
  "no balance below zero, no lease beyond it":
    "SELECT * FROM balances WHERE posted < 0 OR leased < 0 OR leased > posted",
  "the leased sum is the sum of the leases": `
    SELECT * FROM balances
    WHERE leased <> (SELECT coalesce(sum(amount), 0) FROM leases WHERE leases.owner = balances.owner)`,
  "the balance is the sum of the entries": `
    SELECT * FROM accounts JOIN balances ON owner = id
    WHERE posted <> (SELECT coalesce(sum(amount), 0) FROM entries WHERE account = id)`,
  "each request has at most one charge, and it has its receipt":
    "SELECT request FROM entries WHERE request IS NOT NULL GROUP BY request HAVING count(*) > 1 OR count(receipt) < 1",
  "what has expired and was settled after all has both rows":
    "SELECT replaced FROM entries WHERE replaced IS NOT NULL AND replaced NOT IN (SELECT request FROM entries WHERE request IS NOT NULL)",
  "numbers have no gaps":
    "SELECT account FROM entries GROUP BY account HAVING count(number) <> max(number)",
  "a budget is what its charges have left of it": `
    SELECT * FROM balances WHERE allotted - posted <> (
      SELECT coalesce(-sum(amount), 0) FROM entries WHERE number IS NOT NULL AND CASE owner
        WHEN key THEN budgets & 1
        WHEN key || strftime('@%Y-%m-%d', at / 1000, 'unixepoch') THEN budgets & 2
        WHEN key || strftime('@%Y-%m', at / 1000, 'unixepoch') THEN budgets & 4
      END)`,
}
