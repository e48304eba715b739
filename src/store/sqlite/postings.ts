import type { Database, Statement } from "bun:sqlite"
import { bitsOf, ownersOfBits } from "../../accounting/budget-periods.ts"
import { draw, type OwnerShare } from "../../accounting/draw.ts"
import { hashEntry, hashText, hashUncharged } from "../../accounting/hash-chain.ts"
import type { Batch, HoldRecord, Posted, Posting, ReceiptRecord } from "../settlements.ts"
import { type Accounts } from "./accounts.ts"
import { AnchorRow } from "./anchor-row.ts"
import { BookEnds } from "./book-ends.ts"
import { BulkInsert, type Row } from "./bulk-insert.ts"
import { ENTRY_COLUMNS, entryFromRow, type EntryRow } from "./entry-rows.ts"
import type { Leases } from "./leases.ts"
import type { VendorStates } from "./vendor-state.ts"
import type { WriteOffs } from "./write-offs.ts"

/** A request's row: a line of the book with its receipt, or only the receipt when nothing was charged. */
type ReceiptRow = Omit<EntryRow, "number" | "request" | "kind"> & {
  request: string
  key: string
  receipt: string
} & ({ number: bigint; kind: string } | { number: null; kind: typeof EXPIRED | null })

/** The kind of the row of a request that has expired; it has no number. */
const EXPIRED = "expired"

interface PostingParts {
  readonly accounts: Accounts
  readonly leases: Leases
  readonly writeOffs: WriteOffs
  readonly states: VendorStates
}

/** Charges and receipts. What writes expects to run inside a transaction. */
export class Postings {
  readonly #ends: BookEnds
  readonly #anchor: AnchorRow
  /** Of the rows of a batch. */
  #hashes: string[] = []
  readonly #leases: Leases
  readonly #writeOffs: WriteOffs
  readonly #states: VendorStates
  readonly #charges: BulkInsert
  readonly #insertReceipt: Statement<
    unknown,
    [string, bigint, string, string | null, string, string, string]
  >
  readonly #spend: Statement<unknown, [bigint, bigint, string]>
  readonly #openHold: Statement<unknown, (string | bigint)[]>
  readonly #closeHold: Statement<unknown, [string]>
  readonly #receipt: Statement<ReceiptRow, [string]>
  readonly #replace: Statement<unknown, [string]>
  readonly #replaced: Statement<{ found: bigint }, [string]>

  constructor(database: Database, parts: PostingParts) {
    const { accounts, leases, writeOffs, states } = parts
    this.#ends = new BookEnds(database, accounts)
    this.#anchor = new AnchorRow(database)
    this.#leases = leases
    this.#writeOffs = writeOffs
    this.#states = states
    this.#charges = new BulkInsert(
      database,
      "INSERT INTO entries (account, number, kind, amount, balance, at, request, receipt_hash, previous_hash, hash, key, receipt, budgets)",
      "(?, ?, 'charge', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    this.#insertReceipt = database.prepare(
      "INSERT INTO entries (account, at, request, kind, key, receipt, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    this.#spend = database.prepare(
      "UPDATE balances SET posted = posted - ?, leased = leased - ? WHERE owner = ?",
    )
    this.#openHold = database.prepare(
      "INSERT OR IGNORE INTO holds SELECT ?, id, ?, ?, ?, ?, ? FROM nodes WHERE id = ?",
    )
    this.#closeHold = database.prepare("DELETE FROM holds WHERE request = ?")
    this.#receipt = database.prepare(
      `SELECT ${ENTRY_COLUMNS}, receipt FROM entries WHERE request = ? AND receipt IS NOT NULL`,
    )
    this.#replace = database.prepare(
      "UPDATE entries SET request = NULL, replaced = request WHERE request = ?",
    )
    this.#replaced = database.prepare("SELECT 1 AS found FROM entries WHERE replaced = ?")
  }

  /**
   * Posts a batch whose requests are not in the book yet, to books that nobody else has written to.
   * @throws SQLiteError of a unique index otherwise; then `postAgain` is to be asked.
   */
  post(node: string, batch: Batch): Posted[] {
    return this.#post(node, batch, () => null)
  }

  /** The same where a request may be in the book already: it is not charged again. */
  postAgain(node: string, batch: Batch): Posted[] {
    this.#ends.forget()
    return this.#post(node, batch, (request, charges) => {
      // It may be in this batch twice.
      this.#charges.insert(charges.splice(0))
      return this.#receipt.get(request)
    })
  }

  /** To be called when what was posted last is committed. */
  committed(): void {
    this.#ends.commit()
    this.#anchor.commit()
  }

  /** Brings the book's anchor up to what this process has posted. */
  writeAnchor(): void {
    this.#anchor.flush()
  }

  #post(
    node: string,
    batch: Batch,
    find: (request: string, charges: Row[]) => ReceiptRow | null,
  ): Posted[] {
    this.#ends.begin()
    this.#anchor.begin()
    this.#hashes = []
    const owners = new Map<string, OwnerShare>()
    const charges: Row[] = []
    const posted = batch.postings.map((posting) => {
      const account = this.#change(owners, posting.account, node)
      const earlier = find(posting.request, charges)
      const isLate = earlier?.kind === EXPIRED
      if (earlier && !isLate) return repeated(posting, earlier, account)
      // The node was taken for dead. What the request came to takes the place of what was thought of it.
      if (isLate) this.#replace.run(posting.request)
      const budgets = posting.budgets.map((owner) => this.#change(owners, owner, node))
      const drawn = draw(posting, account, budgets, isLate)
      if (posting.writtenOff.length > 0 || drawn.charged < posting.amount) {
        this.#writeOff(posting, drawn.charged)
      }
      if (drawn.charged === 0n) this.#addReceipt(posting, null)
      else charges.push(this.#chargeOf(posting, drawn.charged))
      return drawn
    })
    this.#charges.insert(charges)
    if (this.#hashes.length > 0) this.#anchor.extend(this.#hashes)
    for (const [owner, change] of owners) {
      if (change.spent > 0n) this.#spend.run(change.spent, change.fromLease, owner)
      if (change.fromLease > 0n) this.#leases.reduce(owner, node, change.fromLease)
    }
    for (const { state } of batch.postings) if (state) this.#states.keep(state)
    for (const hold of batch.opened) {
      const { request, account, key, amount, at, receipt } = hold
      this.#openHold.run(request, account, key, amount, BigInt(at), receipt, node)
    }
    for (const request of batch.closed) this.#closeHold.run(request)
    return posted
  }

  /** The row of a charge, its receipt with it, as the next line of its account's book. */
  #chargeOf(posting: Posting, charged: bigint): Row {
    const { account, at, request, key, receipt } = posting
    const end = this.#ends.of(account)
    const number = end.number + 1
    const amount = -charged
    const balance = end.balance - charged
    const receiptHash = hashText(receipt)
    const previousHash = end.hash
    const budgetBits = bitsOf(posting.budgets, key)
    const hash = hashEntry({
      account,
      number,
      kind: "charge",
      amount,
      balance,
      at,
      request,
      note: null,
      author: null,
      receiptHash,
      key,
      budgetBits,
      previousHash,
    })
    this.#ends.move(account, { number, balance, hash })
    this.#hashes.push(hash)
    return [
      account,
      BigInt(number),
      amount,
      balance,
      BigInt(at),
      request,
      receiptHash,
      previousHash,
      hash,
      key,
      receipt,
      BigInt(budgetBits),
    ]
  }

  /** Writes the receipt of a request that was not charged. */
  #addReceipt(
    { account, at, request, key, receipt }: Posting | HoldRecord,
    kind: typeof EXPIRED | null,
  ): void {
    const isExpired = kind === EXPIRED
    const hash = hashUncharged({ account, key, request, at, isExpired, receipt })
    this.#insertReceipt.run(account, BigInt(at), request, kind, key, receipt, hash)
    this.#hashes.push(hash)
  }

  /** Writes down what nobody pays of a cost. A lease that does not cover its charge was lost. */
  #writeOff({ account, key, request, amount, at, writtenOff }: Posting, charged: bigint): void {
    for (const part of writtenOff) this.#writeOffs.append({ ...part, account, key, request, at })
    if (charged === amount) return
    const missing = amount - charged
    this.#writeOffs.append({ amount: missing, reason: "late", account, key, request, at })
  }

  #change(owners: Map<string, OwnerShare>, owner: string, node: string): OwnerShare {
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
    if (this.#receipt.get(hold.request) === null) this.#addReceipt(hold, EXPIRED)
  }

  receipt(request: string): ReceiptRecord | null {
    const row = this.#receipt.get(request)
    if (!row) return null
    const { account, key, receipt } = row
    const at = Number(row.at)
    const entry = row.number === null ? null : entryFromRow(row)
    const budgets = ownersOfBits(Number(row.budgets), key, at)
    const late = this.#replaced.get(request) !== null
    const writtenOff = this.#writeOffs.ofRequest(request)
    return { request, account, key, at, body: receipt, entry, budgets, late, writtenOff }
  }
}

/** A batch that is posted again charges nothing again: it answers what the first time did. */
function repeated(posting: Posting, earlier: ReceiptRow, account: OwnerShare): Posted {
  const charged = earlier.number === null ? 0n : -earlier.amount
  return {
    request: posting.request,
    charged,
    fromLease: charged,
    fromBudgetLeases: posting.budgets.map(() => charged),
    balance: account.posted,
    late: false,
  }
}
