import type { EntryRecord, WriteOffReason } from "../../src/accounting/chained-records.ts"
import type { Evidence, Finding } from "./evidence.ts"

/**
 * Checks the sums, minimum balances, budgets and leases of the ledger, and compares it with the changes that operators
 * made.
 */
export function judgeLedger(evidence: Evidence): Finding[] {
  const { ledger } = evidence
  const faults = [
    ...ledger.problems.map((problem) => `the ledger does not verify: ${problem}`),
    ...judgeSums(evidence),
    ...judgeDoubles(ledger.entries),
    ...judgeBudgets(evidence),
    ...judgeGrants(evidence),
    ...judgeWriteOffs(evidence),
    ...judgeEnd(evidence),
  ]
  return faults.map((fault) => ({ fault }))
}

function judgeSums({ ledger }: Evidence): string[] {
  return ledger.accounts.flatMap(({ id, balance }) => {
    const entries = ledger.entries.filter(({ account }) => account === id)
    const sum = entries.reduce((sum, { amount }) => sum + amount, 0n)
    const negative = entries.find((entry) => entry.balance < 0n)
    return [
      ...(sum === balance ? [] : [`${id} has ${balance}, and its entries add up to ${sum}`]),
      ...(balance < 0n ? [`${id} is at ${balance}`] : []),
      ...(negative ? [`entry ${negative.number} of ${id} leaves ${negative.balance}`] : []),
    ]
  })
}

function judgeDoubles(entries: readonly EntryRecord[]): string[] {
  const seen = new Set<string>()
  return entries.flatMap(({ request }) => {
    if (request === null) return []
    if (seen.has(request)) return [`${request} has two entries`]
    seen.add(request)
    return []
  })
}

function judgeBudgets({ ledger }: Evidence): string[] {
  return ledger.keys.flatMap(({ id, budget, budgetLeft }) => {
    if (budget === null) return []
    const spent = ledger.entries
      .filter(({ key, kind }) => key === id && kind === "charge")
      .reduce((sum, { amount }) => sum - amount, 0n)
    return [
      ...(spent > budget ? [`${id} has spent ${spent} of a budget of ${budget}`] : []),
      ...(budgetLeft === budget - spent
        ? []
        : [`${id} has ${budgetLeft} left of ${budget} less ${spent}`]),
    ]
  })
}

/** Checks that each confirmed change by an operator was made exactly once, and that no rejected change was made. */
function judgeGrants({ ledger, grants }: Evidence): string[] {
  return grants.flatMap(({ note, kind, amount, account, outcome }) => {
    const entries = ledger.entries.filter((entry) => entry.note === note)
    const isRight = entries.every(
      (entry) => entry.kind === kind && entry.amount === amount && entry.account === account,
    )
    const least = outcome === "done" ? 1 : 0
    const most = outcome === "rejected" ? 0 : 1
    const isOnce = entries.length >= least && entries.length <= most
    return isRight && isOnce
      ? []
      : [`${kind} ${note} was ${outcome}, and has ${entries.length} entries`]
  })
}

/**
 * Reasons for write-offs that the faults of a run can cause. Any other reason would mean that credits were spent
 * without a payer.
 */
const EXPLAINED: readonly WriteOffReason[] = ["usage_beyond_bound", "late"]

function judgeWriteOffs({ ledger }: Evidence): string[] {
  return ledger.writeOffs
    .filter(({ reason }) => !EXPLAINED.includes(reason))
    .filter(({ request }) => !isEstimated(ledger.receipts.get(request)?.body))
    .map(({ request, amount, reason }) => `${amount} of ${request} was written off: ${reason}`)
}

/** Whether the usage may exceed its hold, because it is an estimate or was invented by the vendor. */
function isEstimated(receipt: string | undefined): boolean {
  return receipt === undefined || /"estimated":true|"usage_beyond_bound":true/.test(receipt)
}

/** Checks the state after all nodes have left. No credits may be leased or held. */
function judgeEnd({ ledger }: Evidence): string[] {
  const { accounts, holds, nodes } = ledger
  return [
    ...accounts
      .filter(({ leased }) => leased !== 0n)
      .map(({ id, leased }) => `${leased} of ${id} is still leased`),
    ...holds.map(({ request, amount }) => `${request} still holds ${amount}`),
    ...(nodes === 0 ? [] : [`${nodes} nodes are still joined`]),
  ]
}
