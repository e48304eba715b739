import { databaseOf } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import type { Posting } from "../../src/store/settlements.ts"
import { AUDIT } from "../../test/store/audit-record.ts"
import { createAccounts } from "../measure/settlements.ts"
import { accountName, ACCOUNTS, historyOf, type HistoryPlan, keysOf } from "./history.ts"

const NODE = "node_seed"
/** Number of postings in one transaction. */
const BATCH = 500

/** Fills the ledger of a data folder with the requests of a month, settled as by a node. */
export async function seedHistory(folder: string, plan: HistoryPlan): Promise<void> {
  await using store = await databaseOf({ data: folder }).openStore()
  await createAccounts(
    store,
    Array.from({ length: ACCOUNTS }, (_, index) => accountName(index)),
  )
  for (let index = 0; index < ACCOUNTS; index++) await createKeys(store, accountName(index), plan)
  let postings: Posting[] = []
  for (const posting of historyOf(plan)) {
    postings.push(posting)
    if (postings.length < BATCH) continue
    await store.settlements.post(NODE, { postings, opened: [], closed: [] })
    postings = []
  }
  await store.settlements.post(NODE, { postings, opened: [], closed: [] })
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
