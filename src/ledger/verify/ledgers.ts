import { readPeriodOwner } from "../../accounting/budget-periods.ts"
import { readLabelHolder } from "../../accounting/label-budgets.ts"
import type { BalanceFault, PrunedRows } from "../../store/integrity.ts"
import type { BudgetRecord } from "../../store/keys.ts"
import type { StoreReader } from "../../store/store.ts"
import type { ReadAnchor } from "../anchor-file.ts"
import { AccountWalk } from "./account.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { debtFault } from "./debts.ts"
import type { LedgerProblem } from "./problem.ts"
import { VerifyProgress, type VerifyOptions } from "./progress.ts"
import { Redactions } from "./redactions.ts"
import { type Anchors, verifyRows } from "./rows.ts"
import { verifyWriteOffs } from "./write-offs.ts"

/** Number of budgets that are read at once. */
const PAGE = 500
/** Maximum attempts if rows are pruned during the verification. Pruning runs once a month and takes minutes. */
const MAX_ATTEMPTS = 5

export interface Verdict {
  readonly accounts: number
  /** Number of entries that were read, without those before the checkpoint. */
  readonly entries: number
  /** Number of receipts of requests that were not charged. */
  readonly receipts: number
  readonly writeOffs: number
  /** At most one problem for each account and each key, because rows after an invalid row cannot be checked. */
  readonly problems: readonly LedgerProblem[]
  /** The checkpoint that the verification continued from; null if it started at the beginning. */
  readonly from: Checkpoint | null
}

/**
 * Checks the entire ledger: entries with their receipts, balances, leases, budgets, debts, receipts of uncharged
 * requests, and write-offs. It also checks that no row covered by an anchor is missing. Safe during writes.
 * @param adjacent the anchor in the file next to the ledger.
 * @param options may contain a checkpoint. An unusable checkpoint is ignored, and everything is checked.
 */
export async function verifyLedgers(
  store: StoreReader,
  adjacent?: ReadAnchor,
  options: VerifyOptions = {},
): Promise<Verdict> {
  for (let attempt = 1; ; attempt++) {
    const before = await store.integrity.findPrunedRows()
    const redacted = (await store.personKeys.redactions()).length
    const verdict = await verifyOnce(store, adjacent, options)
    // Rows that were pruned during the verification look missing, and records whose name was erased look changed.
    const after = await store.integrity.findPrunedRows()
    const isSame =
      after.rowCount === before.rowCount &&
      after.until === before.until &&
      (await store.personKeys.redactions()).length === redacted
    if (isSame || verdict.problems.length === 0 || attempt === MAX_ATTEMPTS) return verdict
  }
}

async function verifyOnce(
  store: StoreReader,
  adjacent: ReadAnchor | undefined,
  options: VerifyOptions,
): Promise<Verdict> {
  // Read first, because the ledger only grows afterwards.
  const anchors: Anchors = { inside: await store.integrity.findAnchor(), adjacent }
  const pruned = await store.integrity.findPrunedRows()
  const from = options.from && isUsable(options.from, pruned, anchors) ? options.from : null
  const progress = new VerifyProgress(pruned, anchors.inside.rowCount, from, options.onPage)
  const before = await spentByOwner(store)
  const redactions = await Redactions.read(store)
  const accounts = await store.accounts.list()
  const problems: LedgerProblem[] = []
  let entries = 0
  for (const { id } of accounts) {
    const walk = new AccountWalk(store, id, { progress, redactions })
    const problem = (await walk.run()) ?? (await debtProblem(store, id))
    if (problem) problems.push(problem)
    entries += walk.entries
  }
  if (problems.length === 0) {
    for await (const budget of budgetsOf(store)) {
      if (isOfPrunedLabel(budget.owner, pruned)) continue
      const problem = checkBudget(budget, before.get(budget.owner) ?? 0n, progress.spent)
      if (problem) problems.push(problem)
    }
  }
  const isKnownWrong = problems.length > 0
  problems.push(...(await store.integrity.listBalanceFaults(Date.now())).map(balanceProblem))
  const rows = await verifyRows(store, anchors, { isKnownWrong, progress })
  const ends = [anchors.inside.writeOffs, ...(adjacent ? [adjacent.anchor.writeOffs] : [])]
  const { writeOffs, problem } = await verifyWriteOffs(store, ends)
  problems.push(...rows.problems, ...(problem ? [problem] : []))
  const counts = { accounts: accounts.length, entries, receipts: rows.receipts, writeOffs }
  return { ...counts, problems, from }
}

/**
 * Whether a checkpoint can be used. It is unusable if rows in its sums have been removed since, or if an anchor ends
 * before it, because that anchor could not be compared.
 */
function isUsable({ prunedRows, rows }: Checkpoint, pruned: PrunedRows, anchors: Anchors): boolean {
  const { inside, adjacent } = anchors
  const isCovered = [inside, ...(adjacent ? [adjacent.anchor] : [])].every(
    ({ lastRow }) => rows.last <= lastRow,
  )
  return prunedRows === pruned.rowCount && isCovered
}

function balanceProblem({ fault, owner, found, expected }: BalanceFault): LedgerProblem {
  const messages = {
    missing: "its balance is missing",
    leased: `its balance shows ${found} as leased, but its leases add up to ${expected}`,
    limit: `it has ${found} left, but its limit minus its spending is ${expected}`,
  }
  return { account: owner, number: null, fault, message: messages[fault] }
}

async function debtProblem(store: StoreReader, account: string): Promise<LedgerProblem | null> {
  const message = debtFault(await store.payments.findDebts(account))
  return message === null ? null : { account, number: null, fault: "debt", message }
}

async function* budgetsOf(store: StoreReader): AsyncGenerator<BudgetRecord> {
  for (let after = ""; ;) {
    const page = await store.keys.listBudgets(after, PAGE)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.owner
  }
}

async function spentByOwner(store: StoreReader): Promise<Map<string, bigint>> {
  const spent = new Map<string, bigint>()
  for await (const budget of budgetsOf(store)) spent.set(budget.owner, budget.spent)
  return spent
}

/**
 * Whether the labels of a period were pruned. Labels are only in the receipt of a charge, which is removed with the
 * charge.
 */
function isOfPrunedLabel(owner: string, { until }: PrunedRows): boolean {
  const period = readPeriodOwner(owner)
  return period !== undefined && period.until <= until && readLabelHolder(owner) !== undefined
}

/**
 * Compares a budget with its entries. While requests are charged, the sum of the entries is between the spending before
 * and after they are read.
 */
function checkBudget(
  { owner, account, spent, pruned }: BudgetRecord,
  atLeast: bigint,
  seenByOwner: ReadonlyMap<string, bigint>,
): LedgerProblem | null {
  const seen = (seenByOwner.get(owner) ?? 0n) + pruned
  if (seen <= spent && seen >= atLeast) return null
  const message = `the budget ${owner} shows ${spent} as spent, but its entries add up to ${seen}`
  return { account, number: null, fault: "budget", message }
}
