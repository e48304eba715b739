import type { Database, Statement } from "bun:sqlite"
import { bitsOf } from "../../accounting/budget-periods.ts"
import { draw, type OwnerShare } from "../../accounting/draw.ts"
import { hashEntry, hashText } from "../../accounting/hash-chain.ts"
import type { Batch, Posted, Posting, HoldRecord } from "../settlements.ts"
import { AnchorRow } from "./anchor-row.ts"
import { LedgerEnds } from "./ledger-ends.ts"
import { BulkInsert, type Row } from "./bulk-insert.ts"
import type { Leases } from "./leases.ts"
import { EXPIRED, type ReceiptRow, type Receipts } from "./receipts.ts"
import type { VendorStates } from "./vendor-state.ts"
import type { WriteOffs } from "./write-offs.ts"

/** Stores holds of requests that have run for a while. Methods that write must run inside a transaction. */
export class Holds {
  readonly #open: Statement<unknown, (string | bigint)[]>
  readonly #close: Statement<unknown, [string]>

  constructor(database: Database) {
    this.#open = database.prepare(
      "INSERT OR IGNORE INTO holds SELECT ?, id, ?, ?, ?, ?, ? FROM nodes WHERE id = ?",
    )
    this.#close = database.prepare("DELETE FROM holds WHERE request = ?")
  }

  /** Writes a hold, if its node exists. */
  open(node: string, { request, account, key, amount, at, receipt }: HoldRecord): void {
    this.#open.run(request, account, key, amount, BigInt(at), receipt, node)
  }

  close(request: string): void {
    this.#close.run(request)
  }
}

interface PostingParts {
  readonly holds: Holds
  readonly leases: Leases
  readonly receipts: Receipts
  readonly writeOffs: WriteOffs
  readonly states: VendorStates
}

/** Posts charges. Methods that write must run inside a transaction. */
export class Postings {
  readonly #ends: LedgerEnds
  readonly #anchor: AnchorRow
  /** The hashes of the rows in the current batch. */
  #hashes: string[] = []
  readonly #holds: Holds
  readonly #leases: Leases
  readonly #receipts: Receipts
  readonly #writeOffs: WriteOffs
  readonly #states: VendorStates
  readonly #charges: BulkInsert
  readonly #spend: Statement<unknown, [bigint, bigint, string]>

  constructor(database: Database, parts: PostingParts) {
    const { holds, leases, receipts, writeOffs, states } = parts
    this.#ends = new LedgerEnds(database)
    this.#anchor = new AnchorRow(database)
    this.#holds = holds
    this.#leases = leases
    this.#receipts = receipts
    this.#writeOffs = writeOffs
    this.#states = states
    this.#charges = new BulkInsert(
      database,
      "INSERT INTO entries (account, number, kind, amount, balance, at, request, receipt_hash, previous_hash, hash, key, receipt, budgets)",
      "(?, ?, 'charge', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    this.#spend = database.prepare(
      "UPDATE balances SET posted = posted - ?, leased = leased - ? WHERE owner = ?",
    )
  }

  /**
   * Posts a batch of requests that are not in the ledger yet, to accounts to which no other process has written.
   * @throws SQLiteError about a unique index if a request is already in the ledger, or if another process has written
   * to its account. The caller must then use `postAgain`.
   */
  post(node: string, batch: Batch): Posted[] {
    return this.#post(node, batch, () => null)
  }

  /** Posts a batch in which requests may already be in the ledger. Such requests are not charged again. */
  postAgain(node: string, batch: Batch): Posted[] {
    this.#ends.forget()
    return this.#post(node, batch, (request, charges) => {
      // Earlier charges are inserted first, because the batch may contain the request twice.
      this.#charges.insert(charges.splice(0))
      return this.#receipts.row(request)
    })
  }

  /** Must be called after each commit of a posted batch. */
  committed(): void {
    this.#ends.commit()
    this.#anchor.commit()
  }

  /** Writes the pending rows of this process to the anchor. */
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
      // The node was considered dead, so the request has an expired receipt. The real receipt replaces it.
      if (isLate) this.#receipts.replace(posting.request)
      const budgets = posting.budgets.map((owner) => this.#change(owners, owner, node))
      const drawn = draw(posting, account, budgets, isLate)
      if (posting.writtenOff.length > 0 || drawn.charged < posting.amount) {
        this.#writeOff(posting, drawn.charged)
      }
      if (drawn.charged === 0n) this.#hashes.push(this.#receipts.addUncharged(posting, null))
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
    for (const hold of batch.opened) this.#holds.open(node, hold)
    for (const request of batch.closed) this.#holds.close(request)
    return posted
  }

  /** Returns the row of a charge with its receipt. It is the next entry of its account. */
  #chargeOf(posting: Posting, charged: bigint): Row {
    const { account, at, request, key, receipt } = posting
    const end = this.#ends.of(account)
    const number = end.number + 1
    const amount = -charged
    const balance = end.balance - charged
    const receiptHash = hashText(receipt)
    const previousHash = end.hash
    const budgetBits = bitsOf(posting.budgets, posting)
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

  /** Writes off the part of a cost that was not charged. If a lease does not cover its charge, the lease was lost. */
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
}

/** Returns the result of an earlier posting of a request, which is not charged again. */
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
