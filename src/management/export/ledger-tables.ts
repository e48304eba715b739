import type { WriteOffRecord } from "../../accounting/chained-records.ts"
import { formatCredits } from "../../ledger/money.ts"
import { customerReceipt } from "../../relay/billing/customer-receipt.ts"
import { showReceipt, showWholeReceipt } from "../../relay/billing/receipt.ts"
import type { AccountRecord } from "../../store/accounts.ts"
import type { StatementLine } from "../../store/entries.ts"
import { LedgerError } from "../../store/ledger-error.ts"
import type { ReceiptRecord } from "../../store/settlements.ts"
import { decryptNames } from "../personal-names.ts"
import { entryDocument } from "../credits.ts"
import { writeOffDocument } from "../write-offs.ts"
import {
  allPages,
  columnsOf,
  endOf,
  type ExportedRow,
  type ExportedTable,
  type ExportScope,
  idsOf,
} from "./exported-table.ts"

const BALANCE_COLUMNS = "account opening_balance closing_balance balance debt"
const ENTRY_COLUMNS =
  "account number kind amount balance at request key model note author receipt_hash previous_hash hash"
const RECEIPT_COLUMNS =
  "id object status created_at first_byte_ms duration_ms account key endpoint model requested_model user session tags label_budgets " +
  "stream deployment usage usage_reported usage_beyond_bound estimated price modes unpriced arithmetic formula cost " +
  "charged written_off write_offs late hold attempts losses entry"
const WRITE_OFF_COLUMNS = "number at account key request amount reason hash"

/** Balances of an account in nanocredits, before the first and after the last exported entry. */
interface Bounds {
  readonly opening: bigint
  readonly closing: bigint
}

/**
 * Returns the tables of entries, balances, receipts and write-offs. The table of balances is only available after the
 * entries have been read.
 */
export function ledgerTables(scope: ExportScope): ExportedTable[] {
  const bounds = new Map<string, Bounds>()
  return [
    { name: "entries", columns: columnsOf(ENTRY_COLUMNS), rows: () => entries(scope, bounds) },
    { name: "balances", columns: columnsOf(BALANCE_COLUMNS), rows: () => balances(scope, bounds) },
    { name: "receipts", columns: columnsOf(RECEIPT_COLUMNS), rows: () => receipts(scope) },
    { name: "write_offs", columns: columnsOf(WRITE_OFF_COLUMNS), rows: () => writeOffs(scope) },
  ]
}

/**
 * Yields the entries of each account in numerical order. A charge has the start time of its request, which may be out
 * of order, so all entries of an account are read. Their sum must also equal the balance of the account.
 * @throws LedgerError `damaged` if the sum differs from the balance.
 */
async function* entries(
  scope: ExportScope,
  bounds: Map<string, Bounds>,
): AsyncGenerator<ExportedRow> {
  const { snapshot, accounts, from } = scope
  const until = endOf(scope)
  for (const account of accounts) {
    let opening = (await snapshot.store.integrity.findLastPrunedEntry(account.id))?.balance ?? 0n
    let exported = 0n
    let later = 0n
    for await (const line of linesOf(scope, account)) {
      if (line.at < from) opening += line.amount
      else if (line.at >= until) later += line.amount
      else {
        exported += line.amount
        yield { ...entryRow(line), author: await authorOf(scope, line) }
      }
    }
    const closing = opening + exported
    requireSum(account, closing + later)
    bounds.set(account.id, { opening, closing })
  }
}

function linesOf({ snapshot }: ExportScope, { id }: AccountRecord): AsyncGenerator<StatementLine> {
  return allPages((last, limit) =>
    snapshot.store.entries.listStatementLines(id, last?.number ?? 0, limit),
  )
}

function entryRow(line: StatementLine): ExportedRow {
  const { hash, paid: _, ...document } = entryDocument(line)
  const { account, key, model, receiptHash, previousHash } = line
  const chain = { receipt_hash: receiptHash, previous_hash: previousHash, hash }
  return { account, ...document, key, model, ...chain }
}

/** Decrypts the author of an entry. Each person has a separate key, which is deleted when the person is erased. */
async function authorOf(
  { snapshot }: ExportScope,
  { author }: StatementLine,
): Promise<string | null> {
  if (author === null) return null
  const [name = author] = await decryptNames(snapshot.store.personKeys, [author])
  return name
}

function requireSum({ id, balance }: AccountRecord, sum: bigint): void {
  if (sum === balance) return
  throw new LedgerError(
    "damaged",
    `the entries of the account ${id} come to ${formatCredits(sum)} credits, and its balance is ${formatCredits(balance)}`,
  )
}

function* balances(
  { accounts }: ExportScope,
  bounds: ReadonlyMap<string, Bounds>,
): Generator<ExportedRow> {
  for (const { id, balance, debt } of accounts) {
    const { opening, closing } = bounds.get(id) ?? { opening: balance, closing: balance }
    yield {
      account: id,
      opening_balance: formatCredits(opening),
      closing_balance: formatCredits(closing),
      balance: formatCredits(balance),
      debt: formatCredits(debt),
    }
  }
}

/** Yields receipts in the order of their request ids, which is roughly chronological. */
async function* receipts(scope: ExportScope): AsyncGenerator<ExportedRow> {
  const { snapshot, accounts, isNarrowed, from, hidesCosts } = scope
  const account = isNarrowed ? accounts[0]?.id : undefined
  const filter = { account, from, until: endOf(scope) }
  const showOwn = hidesCosts
    ? (record: ReceiptRecord) => customerReceipt(showReceipt(record))
    : showReceipt
  const show = isNarrowed ? showOwn : showWholeReceipt
  const all = allPages<ReceiptRecord>((last, limit) =>
    snapshot.store.settlements.listReceipts(filter, last?.request ?? "", limit),
  )
  for await (const receipt of all) yield receiptRow(receipt, show)
}

/**
 * Converts a receipt to a row.
 * @throws LedgerError `damaged`.
 */
function receiptRow(
  receipt: ReceiptRecord,
  show: (receipt: ReceiptRecord) => ExportedRow,
): ExportedRow {
  try {
    return show(receipt)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new LedgerError("damaged", `the receipt of ${receipt.request} was modified`)
  }
}

/** Yields write-offs, newest first. */
async function* writeOffs(scope: ExportScope): AsyncGenerator<ExportedRow> {
  const all = allPages<WriteOffRecord>((last, limit) =>
    scope.snapshot.store.settlements.listWriteOffs(idsOf(scope), last?.number ?? null, limit),
  )
  for await (const record of all) {
    if (record.at >= scope.from && record.at < endOf(scope)) yield writeOffDocument(record)
  }
}
