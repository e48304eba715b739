import type { Database, Statement } from "bun:sqlite"
import { GENESIS_HASH, hashEntry, hashText } from "../chain.ts"
import type { Batch, EntryRecord, HoldRecord, Posted, Posting, ReceiptRecord } from "../records.ts"
import type { Accounts } from "./accounts.ts"
import type { Leases } from "./leases.ts"

interface ReceiptRow {
  request: string
  account: string
  key: string
  at: bigint
  entry: bigint | null
  body: string
}

/** What a batch has done to one owner, written once at its end. */
interface OwnerChange {
  posted: bigint
  /** What nobody has leased. */
  free: bigint
  /** What is left of this node's lease. */
  lease: bigint
  spent: bigint
  fromLease: bigint
}

/** Charges and receipts. `post` expects to run inside a transaction. */
export class Postings {
  readonly #accounts: Accounts
  readonly #leases: Leases
  readonly #insertReceipt: Statement<
    unknown,
    [string, string, string, bigint, bigint | null, string]
  >
  readonly #spend: Statement<unknown, [bigint, bigint, string]>
  readonly #openHold: Statement<unknown, (string | bigint)[]>
  readonly #closeHold: Statement<unknown, [string]>
  readonly #receipt: Statement<ReceiptRow, [string]>
  readonly #isPosted: Statement<{ entry: bigint | null }, [string]>

  constructor(database: Database, accounts: Accounts, leases: Leases) {
    this.#accounts = accounts
    this.#leases = leases
    this.#insertReceipt = database.prepare("INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?)")
    this.#spend = database.prepare(
      "UPDATE balances SET posted = posted - ?, leased = leased - ? WHERE owner = ?",
    )
    this.#openHold = database.prepare(
      "INSERT OR IGNORE INTO holds SELECT ?, id, ?, ?, ?, ?, ? FROM nodes WHERE id = ?",
    )
    this.#closeHold = database.prepare("DELETE FROM holds WHERE request = ?")
    this.#receipt = database.prepare("SELECT * FROM receipts WHERE request = ?")
    this.#isPosted = database.prepare("SELECT entry FROM receipts WHERE request = ?")
  }

  post(node: string, batch: Batch): Posted[] {
    const owners = new Map<string, OwnerChange>()
    const books = new Map<string, EntryRecord | null>()
    const posted = batch.postings.map((posting) => this.#postOne(node, posting, owners, books))
    for (const [owner, change] of owners) {
      if (change.spent > 0n) this.#spend.run(change.spent, change.fromLease, owner)
      if (change.fromLease > 0n) this.#leases.reduce(owner, node, change.fromLease)
    }
    for (const hold of batch.opened) {
      const { request, account, key, amount, at, receipt } = hold
      this.#openHold.run(request, account, key, amount, BigInt(at), receipt, node)
    }
    for (const request of batch.closed) this.#closeHold.run(request)
    return posted
  }

  #postOne(
    node: string,
    posting: Posting,
    owners: Map<string, OwnerChange>,
    books: Map<string, EntryRecord | null>,
  ): Posted {
    const account = this.#change(owners, posting.account, node)
    const earlier = this.#isPosted.get(posting.request)
    if (earlier) return this.#repeated(posting, earlier.entry, account)
    const budget = posting.budgeted ? this.#change(owners, posting.key, node) : undefined
    const charged = least(posting.amount, coverOf(account), budget && coverOf(budget))
    const fromLease = draw(account, charged)
    const fromBudgetLease = budget ? draw(budget, charged) : 0n
    const entry = charged === 0n ? null : this.#append(posting, charged, books)
    this.#insertReceipt.run(
      posting.request,
      posting.account,
      posting.key,
      BigInt(posting.at),
      entry === null ? null : BigInt(entry.number),
      posting.receipt,
    )
    return {
      request: posting.request,
      charged,
      fromLease,
      fromBudgetLease,
      balance: account.posted,
    }
  }

  /** A batch that is posted again charges nothing again: it answers what the first time did. */
  #repeated(posting: Posting, entry: bigint | null, account: OwnerChange): Posted {
    const first = entry === null ? null : this.#accounts.entry(posting.account, entry)
    const charged = first === null ? 0n : -first.amount
    return {
      request: posting.request,
      charged,
      fromLease: charged,
      fromBudgetLease: posting.budgeted ? charged : 0n,
      balance: account.posted,
    }
  }

  #append(posting: Posting, charged: bigint, books: Map<string, EntryRecord | null>): EntryRecord {
    const account = posting.account
    const last = books.has(account) ? books.get(account) : this.#accounts.last(account)
    const unhashed = {
      account,
      number: (last?.number ?? 0) + 1,
      kind: "charge" as const,
      amount: -charged,
      balance: (last?.balance ?? 0n) - charged,
      at: posting.at,
      request: posting.request,
      note: null,
      author: null,
      receiptHash: hashText(posting.receipt),
      previousHash: last?.hash ?? GENESIS_HASH,
    }
    const entry = { ...unhashed, hash: hashEntry(unhashed) }
    this.#accounts.insertEntry(entry)
    books.set(account, entry)
    return entry
  }

  #change(owners: Map<string, OwnerChange>, owner: string, node: string): OwnerChange {
    const known = owners.get(owner)
    if (known) return known
    const { posted, leased } = this.#leases.balance(owner)
    const lease = this.#leases.leaseOf(owner, node)
    const change = { posted, free: posted - leased, lease, spent: 0n, fromLease: 0n }
    owners.set(owner, change)
    return change
  }

  /** Records what expired with a node that died, so that each such request has its receipt. */
  expire(hold: HoldRecord): void {
    if (this.#isPosted.get(hold.request)) return
    this.#insertReceipt.run(
      hold.request,
      hold.account,
      hold.key,
      BigInt(hold.at),
      null,
      hold.receipt,
    )
  }

  receipt(request: string): ReceiptRecord | null {
    const row = this.#receipt.get(request)
    if (!row) return null
    const entry = row.entry === null ? null : this.#accounts.entry(row.account, row.entry)
    return { ...row, at: Number(row.at), entry }
  }
}

/**
 * All that a node can charge an owner: its lease and, should that have been lost meanwhile, what
 * nobody has leased. Never another node's share.
 */
function coverOf(change: OwnerChange): bigint {
  return change.lease + change.free
}

function least(...amounts: readonly (bigint | undefined)[]): bigint {
  let least: bigint | undefined
  for (const amount of amounts) {
    if (amount !== undefined && (least === undefined || amount < least)) least = amount
  }
  return least ?? 0n
}

/** Takes what is covered, from the lease first. @returns the part that came out of the lease. */
function draw(change: OwnerChange, amount: bigint): bigint {
  const fromLease = amount < change.lease ? amount : change.lease
  change.lease -= fromLease
  change.fromLease += fromLease
  change.free -= amount - fromLease
  change.spent += amount
  change.posted -= amount
  return fromLease
}
