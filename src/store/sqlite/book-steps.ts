import type { DirectStore } from "../store.ts"
import type { Accounts } from "./accounts.ts"
import type { BookPages } from "./book-pages.ts"
import type { Budgets } from "./budgets.ts"
import type { Codes } from "./codes.ts"
import type { Keys } from "./keys.ts"
import type { Leases } from "./leases.ts"
import type { Postings } from "./postings.ts"
import type { Transactions } from "./transactions.ts"

interface BookParts {
  readonly transactions: Transactions
  readonly accounts: Accounts
  readonly pages: BookPages
  readonly codes: Codes
  readonly budgets: Budgets
  readonly keys: Keys
  readonly leases: Leases
  readonly postings: Postings
}

/** The steps on accounts, their books, and the keys and codes of people. */
export function bookSteps(parts: BookParts) {
  const { transactions, accounts, pages, codes, budgets, keys, leases, postings } = parts
  return {
    createAccount: (account) => transactions.atomically(() => accounts.create(account)),
    findAccount: (idOrName) => accounts.find(idOrName),
    listAccounts: () => accounts.list(),
    updateAccount: (id, change) =>
      transactions.atomically(() => {
        if (change.storesContent !== undefined) keys.touchAll(id)
        return accounts.update(id, change)
      }),
    addEntry: (entry) => transactions.atomically(() => accounts.addEntry(entry)),
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
    redeemCode: (redemption) => transactions.atomically(() => codes.redeem(redemption)),
    addPayment: (payment) => transactions.atomically(() => codes.addPayment(payment)),
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
