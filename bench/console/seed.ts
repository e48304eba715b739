import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import type { Store } from "../../src/store/store.ts"
import type { Posting } from "../../src/store/settlements.ts"
import { AUDIT } from "../../test/store/audit-record.ts"
import { bringUpAnchor, openUnsafely } from "../large-ledger/unsafe-store.ts"
import { createAccounts } from "../measure/settlements.ts"
import { indexHistory } from "./index-history.ts"
import { accountName, ACCOUNTS, historyOf, type HistoryPlan, keysOf } from "./history.ts"

const NODE = "node_seed"
/** Number of postings in one transaction. */
const BATCH = 25_000

/**
 * Fills the ledger of a data folder with the requests of a month, settled as by a node, and indexes them. A crash may
 * destroy the ledger until it is complete.
 */
export async function seedHistory(folder: string, plan: HistoryPlan): Promise<void> {
  const path = databaseFileIn(folder)
  // A gateway does not open a ledger without its secrets.
  new SecretFolder(folder).readOrCreate("key-pepper")
  {
    await using store = openUnsafely(path)
    await createAccounts(
      store,
      Array.from({ length: ACCOUNTS }, (_, index) => accountName(index)),
    )
    for (let index = 0; index < ACCOUNTS; index++) await createKeys(store, accountName(index), plan)
    // If the anchor is up to date, later postings are added to it as they are written.
    await bringUpAnchor(store)
    await postAll(store, historyOf(plan))
    await bringUpAnchor(store)
  }
  // Opening the store again turns it into a normal store, with a write-ahead log and durable writes.
  openSqliteStore(path).close()
  indexHistory(folder)
}

async function postAll(store: Store, history: Iterable<Posting>): Promise<void> {
  let postings: Posting[] = []
  const post = async (): Promise<void> => {
    await store.settlements.post(NODE, { postings, opened: [], closed: [] })
    postings = []
  }
  for (const posting of history) {
    if (postings.push(posting) === BATCH) await post()
  }
  await post()
}

async function createKeys(store: Store, account: string, { from }: HistoryPlan): Promise<void> {
  for (const id of keysOf(account)) {
    await store.keys.insert(
      {
        id,
        account,
        name: id,
        models: null,
        aliases: null,
        budget: null,
        dailyBudget: null,
        monthlyBudget: null,
        requestsPerMinute: null,
        tokensPerMinute: null,
        concurrentRequests: null,
        createdAt: from,
        createdBy: null,
        expiresAt: null,
        origins: null,
        isReadOnly: false,
        addresses: null,
        secret: { hash: `hash of ${id}`, hint: "seed", createdAt: from, expiresAt: null },
      },
      AUDIT,
    )
  }
}
