import type { NewPayment } from "../payments.ts"
import type { EntryRecord } from "../../accounting/chained-records.ts"
import type { DirectStore } from "../store.ts"
import type { Accounts } from "./accounts.ts"
import type { BookPages } from "./book-pages.ts"
import type { Budgets } from "./budgets.ts"
import type { CardPayments } from "./card-payments.ts"
import type { Codes } from "./codes.ts"
import type { Debts } from "./debts.ts"
import type { Keys } from "./keys.ts"
import type { Leases } from "./leases.ts"
import type { Postings } from "./postings.ts"
import type { Transactions } from "./transactions.ts"

interface BookParts {
  readonly transactions: Transactions
  readonly accounts: Accounts
  readonly pages: BookPages
  readonly codes: Codes
  readonly cards: CardPayments
  readonly debts: Debts
  readonly budgets: Budgets
  readonly keys: Keys
  readonly leases: Leases
  readonly postings: Postings
}

/** The steps on accounts, their books, and the keys and codes of people. */
export function bookSteps(parts: BookParts) {
  const { transactions, accounts, pages, codes, cards, debts } = parts
  const { budgets, keys, leases, postings } = parts

  /** What comes in pays first what the account owes. */
  function received(entry: EntryRecord): EntryRecord {
    if (entry.amount > 0n) debts.collect(entry.account, entry.at)
    return entry
  }

  function addPayment(payment: NewPayment): EntryRecord {
    const entry = codes.addPayment(payment)
    const { id, amount, card } = payment
    if (card) cards.know({ ...card, payment: id, account: entry.account, amount })
    return received(entry)
  }

  return {
    createAccount: (account) => transactions.atomically(() => accounts.create(account)),
    findAccount: (idOrName) => accounts.find(idOrName),
    listAccounts: () => accounts.list(),
    updateAccount: (id, change) =>
      transactions.atomically(() => {
        if (change.storesContent !== undefined) keys.touchAll(id)
        return accounts.update(id, change)
      }),
    addEntry: (entry) => transactions.atomically(() => received(accounts.addEntry(entry))),
    listEntries: (account, after, limit) => pages.forward(account, after, limit),
    listEntriesBack: (account, before, limit, kind) => pages.back(account, before, limit, kind),
    listStatementLines: (account, after, limit) => pages.lines(account, after, limit),
    findEntries: (account, from, until) =>
      transactions.consistently(() => pages.range(account, from, until)),
    listHolds: (account) => leases.holdsOf(account),
    createCode: (code) => transactions.atomically(() => codes.create(code)),
    findCode: (id) => codes.find(id),
    listCodes: (after, limit) => codes.list(after, limit),
    revokeCode: (id, at) => transactions.atomically(() => codes.revoke(id, at)),
    redeemCode: (redemption) => transactions.atomically(() => received(codes.redeem(redemption))),
    addPayment: (payment) => transactions.atomically(() => addPayment(payment)),
    findCardPayment: (intent) => cards.find(intent),
    knowCardPayment: (payment) => transactions.atomically(() => cards.know(payment)),
    noteReversal: (reversal) => transactions.atomically(() => cards.note(reversal)),
    settleReversal: (settlement) => transactions.atomically(() => cards.settle(settlement)),
    debtBook: (account) => transactions.consistently(() => debts.book(account)),
    findReceipt: (request) => postings.receipt(request),
    insertKey: (key) => transactions.atomically(() => keys.insert(key)),
    updateKey: (id, change) => transactions.atomically(() => keys.update(id, change, Date.now())),
    rotateKey: (id, secret, grace) => transactions.atomically(() => keys.rotate(id, secret, grace)),
    revokeKey: (id, at) => transactions.atomically(() => keys.revoke(id, at)),
    findKey: (id) => transactions.consistently(() => keys.find(id)),
    listKeys: (filter, after, limit) =>
      transactions.consistently(() => keys.list(filter, after, limit)),
    keysSince: (revision) => transactions.consistently(() => keys.since(revision)),
    listBudgets: (after, limit) => budgets.list(after, limit),
  } satisfies Partial<DirectStore>
}
