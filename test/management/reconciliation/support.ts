import { Audit } from "../../../src/management/audit.ts"
import type { Bill, BillRow } from "../../../src/management/reconciliation/bill.ts"
import { AMOUNT_PLACES } from "../../../src/management/reconciliation/bill.ts"
import {
  type ReconcileInput,
  Reconciliations,
} from "../../../src/management/reconciliation/reconciliations.ts"
import type { TimeRange } from "../../../src/store/settlements.ts"
import type { Store } from "../../../src/store/store.ts"
import { parseDecimal } from "tollgate-contract/decimal.ts"
import { OPERATOR } from "../actors.ts"

export const DAYS: TimeRange = { from: Date.UTC(2026, 10, 1), until: Date.UTC(2026, 10, 3) }
export const FIRST = "2026-11-01"
export const SECOND = "2026-11-02"

/** A call in the ledger. A million input tokens cost one credit, and a million output tokens cost two. */
export interface LedgerCall {
  readonly day: string
  readonly model: string
  /** The account; absent: `a`. */
  readonly account?: string
  readonly credential?: string
  readonly input?: number
  readonly output?: number
  /** Number of searches, at a hundredth of a credit each. */
  readonly searches?: number
  readonly modes?: readonly string[]
  readonly estimated?: boolean
  /** Provider cost of an earlier failed attempt, in credits. */
  readonly lost?: string
  /** Provider cost in credits, if the receipt contains other prices. */
  readonly providerCost?: string
}

/** Adds calls of the provider `openai` to the ledger. */
export async function addCalls(store: Store, ...calls: readonly LedgerCall[]): Promise<void> {
  const postings = calls.map((call, index) => ({
    request: `req_${call.day}_${index}_${call.model}`,
    account: call.account ?? "a",
    key: "key_a",
    budgets: [],
    amount: 1n,
    writtenOff: [],
    at: Date.parse(`${call.day}T12:00:00Z`),
    receipt: receiptText(call),
  }))
  await store.settlements.post("node", { postings, opened: [], closed: [] })
}

function receiptText(call: LedgerCall): string {
  const { model, credential, input = 0, output = 0, searches = 0, lost } = call
  const deployment = `openai/${model}${credential === undefined ? "" : `#${credential}`}`
  const lines = [
    { class: "input", quantity: input, per_million: "1" },
    { class: "output", quantity: output, per_million: "2" },
    { class: "search", quantity: searches, per_million: "10000" },
  ]
  return JSON.stringify({
    status: "settled",
    model: `openai/${model}`,
    deployment,
    usage: { input, output },
    estimated: call.estimated ?? false,
    price: { per_million: {}, multiplier: "2" },
    modes: call.modes,
    arithmetic: lines.filter(({ quantity }) => quantity > 0),
    provider_cost: call.providerCost,
    attempts: [
      ...(lost === undefined ? [] : [{ deployment, outcome: "timeout", provider_cost: lost }]),
      { deployment, outcome: "ok" },
    ],
  })
}

/** Returns a row of a bill. */
export function billed(
  row: Pick<BillRow, "model"> &
    Partial<Omit<BillRow, "amount" | "day">> & { readonly day: string; readonly cost: string },
): BillRow {
  const { day, cost, ...others } = row
  return {
    day: Date.parse(day),
    isDescription: false,
    key: null,
    class: null,
    quantity: null,
    amount: parseDecimal(cost, AMOUNT_PLACES),
    places: 9,
    tiers: [],
    requests: null,
    ...others,
  }
}

export function reconcile(
  store: Store,
  rows: readonly BillRow[],
  input: Partial<ReconcileInput> = {},
) {
  const bill: Bill = { source: "bill.csv", rows, skipped: 0 }
  return new Reconciliations(store, new Audit(store)).reconcile(OPERATOR, {
    provider: "openai",
    days: DAYS,
    models: [],
    bill,
    ...input,
  })
}
