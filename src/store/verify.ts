import { GENESIS_HASH, hashEntry, hashText } from "./chain.ts"
import type { AccountRecord, BudgetRecord, EntryRecord } from "./records.ts"
import type { Store } from "./store.ts"

/** How many entries are read at once. */
const PAGE = 500
/** A book that grew this often while its end was looked for is in use: its end will not come. */
const ENDS = 5

export interface BookProblem {
  readonly account: string
  /** The first entry that is wrong; null when all are right and their sum is not what it should be. */
  readonly number: number | null
  readonly fault: "number" | "previous_hash" | "hash" | "balance" | "receipt" | "posted" | "budget"
  readonly message: string
}

export interface Verdict {
  readonly accounts: number
  readonly entries: number
  /** At most one for each account and each key: what follows a wrong row cannot be judged. */
  readonly problems: readonly BookProblem[]
}

/**
 * Walks every account's book from its first entry: numbers without gaps, each hash over the entry and
 * the hash before, balances that add up, each charge with the one receipt it belongs to, and a posted
 * balance and budgets that agree. Safe while others write.
 */
export async function verifyBooks(store: Store): Promise<Verdict> {
  const before = await spentByOwner(store)
  const accounts = await store.listAccounts()
  const problems: BookProblem[] = []
  const seen = new Map<string, bigint>()
  let entries = 0
  for (const account of accounts) {
    const walk = new Walk(store, account, seen)
    const problem = await walk.run()
    if (problem) problems.push(problem)
    entries += walk.entries
  }
  if (problems.length === 0) {
    for await (const budget of budgetsOf(store)) {
      const problem = checkBudget(budget, before.get(budget.owner) ?? 0n, seen)
      if (problem) problems.push(problem)
    }
  }
  return { accounts: accounts.length, entries, problems }
}

/** Goes through one account's book. */
class Walk {
  readonly #store: Store
  readonly #account: AccountRecord
  /** What charges drew on each budget. */
  readonly #spent: Map<string, bigint>
  #last: Pick<EntryRecord, "number" | "hash" | "balance"> = {
    number: 0,
    hash: GENESIS_HASH,
    balance: 0n,
  }
  entries = 0

  constructor(store: Store, account: AccountRecord, spent: Map<string, bigint>) {
    this.#store = store
    this.#account = account
    this.#spent = spent
  }

  async run(): Promise<BookProblem | null> {
    for (let ends = 0; ;) {
      // Read before the page: it is what the entries up to some point of the page add up to.
      const posted = (await this.#store.findAccount(this.#account.id))?.balance ?? 0n
      const page = await this.#store.listEntries(this.#account.id, this.#last.number, PAGE)
      const balances = [this.#last.balance, ...page.map((entry) => entry.balance)]
      const problem = this.#checkEntries(page) ?? (await this.#checkReceipts(page))
      if (problem) return problem
      if (page.length < PAGE) ends++
      if (page.length === 0 || ends === ENDS) return this.#checkPosted(posted, balances)
    }
  }

  #checkEntries(page: readonly EntryRecord[]): BookProblem | null {
    for (const entry of page) {
      const fault = this.#faultOf(entry)
      if (fault) return { account: entry.account, number: entry.number, ...fault }
      this.#last = entry
      this.entries++
    }
    return null
  }

  #faultOf(entry: EntryRecord): Pick<BookProblem, "fault" | "message"> | null {
    const last = this.#last
    if (entry.number !== last.number + 1) {
      return { fault: "number", message: `entry ${last.number + 1} is missing` }
    }
    if (entry.previousHash !== last.hash) {
      return { fault: "previous_hash", message: "it does not follow the entry before it" }
    }
    if (entry.hash !== hashEntry(entry)) {
      return { fault: "hash", message: "it was changed after it was written" }
    }
    if (entry.balance !== last.balance + entry.amount || entry.balance < 0n) {
      return { fault: "balance", message: "its balance is not the sum of the entries" }
    }
    return null
  }

  async #checkReceipts(page: readonly EntryRecord[]): Promise<BookProblem | null> {
    const charges = page.filter((entry) => entry.kind === "charge")
    const faults = await Promise.all(charges.map((entry) => this.#receiptFaultOf(entry)))
    const index = faults.findIndex((fault) => fault !== null)
    const message = faults[index]
    const entry = charges[index]
    if (!message || !entry) return null
    return { account: entry.account, number: entry.number, fault: "receipt", message }
  }

  /** A request has one receipt, and the receipt one entry: so no request is charged twice. */
  async #receiptFaultOf(entry: EntryRecord): Promise<string | null> {
    const receipt = entry.request === null ? null : await this.#store.findReceipt(entry.request)
    if (!receipt) return "the receipt of its request is missing"
    if (receipt.entry?.account !== entry.account || receipt.entry.number !== entry.number) {
      return "the receipt of its request belongs to another entry"
    }
    if (hashText(receipt.body) !== entry.receiptHash) {
      return "the receipt of its request was changed after it was written"
    }
    for (const budget of receipt.budgets) {
      this.#spent.set(budget, (this.#spent.get(budget) ?? 0n) - entry.amount)
    }
    return null
  }

  #checkPosted(posted: bigint, balances: readonly bigint[]): BookProblem | null {
    if (balances.includes(posted)) return null
    const message = `the posted balance is ${posted}, the entries add up to ${this.#last.balance}`
    return { account: this.#account.id, number: null, fault: "posted", message }
  }
}

async function* budgetsOf(store: Store): AsyncGenerator<BudgetRecord> {
  for (let after = ""; ;) {
    const page = await store.listBudgets(after, PAGE)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.owner
  }
}

async function spentByOwner(store: Store): Promise<Map<string, bigint>> {
  const spent = new Map<string, bigint>()
  for await (const budget of budgetsOf(store)) spent.set(budget.owner, budget.spent)
  return spent
}

/**
 * While requests are charged, what was seen lies between what had been spent before the walk and what
 * has been after it.
 */
function checkBudget(
  { owner, account, spent }: BudgetRecord,
  atLeast: bigint,
  seenByOwner: ReadonlyMap<string, bigint>,
): BookProblem | null {
  const seen = seenByOwner.get(owner) ?? 0n
  if (seen <= spent && seen >= atLeast) return null
  const message = `the budget ${owner} says that ${spent} was spent, the entries say ${seen}`
  return { account, number: null, fault: "budget", message }
}
