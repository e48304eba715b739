import type { EntryRecord } from "../../accounting/chained-records.ts"
import { ownersOfBits } from "../../accounting/budget-periods.ts"
import { GENESIS_HASH, hashEntry, hashText } from "../../accounting/hash-chain.ts"
import type { ReceiptRecord } from "../../store/settlements.ts"
import type { StoreReader } from "../../store/store.ts"
import type { LedgerProblem } from "./problem.ts"
import type { LastEntry, VerifyProgress } from "./progress.ts"
import type { Redactions } from "./redactions.ts"

/** Number of entries that are read at once. */
const PAGE = 500
/** Maximum reads of the end of a ledger. The ledger of an account in use keeps growing. */
const MAX_END_READS = 5

/**
 * Checks one account's ledger. Numbers must have no gaps, each hash must cover the entry and the previous hash,
 * balances must add up, and each charge must have exactly one receipt.
 */
export class AccountWalk {
  readonly #store: StoreReader
  readonly #account: string
  readonly #progress: VerifyProgress
  readonly #redactions: Redactions
  #last: LastEntry = { number: 0, hash: GENESIS_HASH, balance: 0n }
  /** Unix milliseconds. Receipts of entries before this moment may have been removed. */
  #prunedUntil = 0
  entries = 0

  constructor(
    store: StoreReader,
    account: string,
    {
      progress,
      redactions,
    }: { readonly progress: VerifyProgress; readonly redactions: Redactions },
  ) {
    this.#redactions = redactions
    this.#store = store
    this.#account = account
    this.#progress = progress
  }

  async run(): Promise<LedgerProblem | null> {
    const checked = this.#progress.accounts.get(this.#account)
    const pruned = await this.#store.integrity.findLastPrunedEntry(this.#account)
    this.#last = checked ?? pruned ?? this.#last
    if (checked && checked.number > (pruned?.number ?? 0)) {
      const problem = await this.#endProblem(checked)
      if (problem) return problem
    }
    this.#prunedUntil = (await this.#store.integrity.findPrunedRows()).until
    for (let ends = 0; ;) {
      // Read before the page, so that the balance equals the sum of the entries up to some point in the page.
      const posted = (await this.#store.accounts.find(this.#account))?.balance ?? 0n
      const page = await this.#store.entries.list(this.#account, this.#last.number, PAGE)
      const balances = [this.#last.balance, ...page.map((entry) => entry.balance)]
      const charges = page.filter((entry) => entry.kind === "charge")
      const receipts = await this.#receiptsOf(charges)
      const problem = this.#checkEntries(page) ?? this.#checkReceipts(charges, receipts)
      if (problem) return problem
      if (page.length > 0) {
        for (const [index, entry] of charges.entries()) this.#draw(entry, receipts[index])
        this.#progress.accounts.set(this.#account, this.#last)
        await this.#progress.page(page.length)
      }
      if (page.length < PAGE) ends++
      if (page.length === 0 || ends === MAX_END_READS) return this.#checkPosted(posted, balances)
    }
  }

  /** Checks that the last entry of the previous verification still exists. No other check would detect its loss. */
  async #endProblem({ number, hash }: LastEntry): Promise<LedgerProblem | null> {
    const [entry] = await this.#store.entries.list(this.#account, number - 1, 1)
    if (entry?.number === number && entry.hash === hash) return null
    const message = entry?.number === number ? "it has changed" : "it has disappeared"
    const words = `${message} since the ledger was last verified`
    return { account: this.#account, number, fault: "number", message: words }
  }

  #checkEntries(page: readonly EntryRecord[]): LedgerProblem | null {
    for (const entry of page) {
      const fault = this.#faultOf(entry)
      if (fault) return { account: entry.account, number: entry.number, ...fault }
      this.#last = entry
      this.entries++
    }
    return null
  }

  #faultOf(entry: EntryRecord): Pick<LedgerProblem, "fault" | "message"> | null {
    const last = this.#last
    if (entry.number !== last.number + 1) {
      return { fault: "number", message: `entry ${last.number + 1} is missing` }
    }
    if (entry.previousHash !== last.hash) {
      return { fault: "previous_hash", message: "it does not follow the entry before it" }
    }
    if (entry.hash !== hashEntry(entry) && !this.#redactions.hasEntry(entry)) {
      return { fault: "hash", message: "it was changed after it was written" }
    }
    if (entry.balance !== last.balance + entry.amount || entry.balance < 0n) {
      return { fault: "balance", message: "its balance is not the sum of the entries" }
    }
    return null
  }

  /** Reads the receipts of all charges at once, because the database may be reached over a network. */
  async #receiptsOf(charges: readonly EntryRecord[]): Promise<(ReceiptRecord | undefined)[]> {
    if (charges.length === 0) return []
    const requests = charges.flatMap(({ request }) => request ?? [])
    const times = charges.map(({ at }) => at)
    const range = { from: Math.min(...times), until: Math.max(...times) + 1 }
    const found = await this.#store.settlements.findReceipts(requests, range)
    const byRequest = new Map(found.map((receipt) => [receipt.request, receipt]))
    return charges.map(({ request }) => byRequest.get(request ?? ""))
  }

  #checkReceipts(
    charges: readonly EntryRecord[],
    receipts: readonly (ReceiptRecord | undefined)[],
  ): LedgerProblem | null {
    const faults = charges.map((entry, index) => this.#receiptFaultOf(entry, receipts[index]))
    const index = faults.findIndex((fault) => fault !== null)
    const message = faults[index]
    const entry = charges[index]
    if (!message || !entry) return null
    return { account: entry.account, number: entry.number, fault: "receipt", message }
  }

  /**
   * Checks that a request has exactly one receipt and that the receipt belongs to one entry, so that no request is
   * charged twice.
   */
  #receiptFaultOf(entry: EntryRecord, receipt: ReceiptRecord | undefined): string | null {
    if (!receipt && entry.at < this.#prunedUntil) return null
    if (!receipt) return "the receipt of its request is missing"
    if (receipt.entry?.account !== entry.account || receipt.entry.number !== entry.number) {
      return "the receipt of its request belongs to another entry"
    }
    if (hashText(receipt.body) !== entry.receiptHash) {
      return "the receipt of its request was changed after it was written"
    }
    return null
  }

  /** Adds a charge to the spending of its budgets. Its labels are only in its receipt. */
  #draw(entry: EntryRecord, receipt: ReceiptRecord | undefined): void {
    const { budgetBits, key, account, at, amount } = entry
    if (key === null) return
    const { spent } = this.#progress
    for (const budget of receipt?.budgets ?? ownersOfBits(budgetBits, { key, account }, at)) {
      spent.set(budget, (spent.get(budget) ?? 0n) - amount)
    }
  }

  #checkPosted(posted: bigint, balances: readonly bigint[]): LedgerProblem | null {
    if (balances.includes(posted)) return null
    const message = `the posted balance is ${posted}, but the entries add up to ${this.#last.balance}`
    return { account: this.#account, number: null, fault: "posted", message }
  }
}
