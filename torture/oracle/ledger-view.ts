import type { EntryRecord, WriteOffRecord } from "../../src/accounting/chained-records.ts"
import type { AccountRecord } from "../../src/store/accounts.ts"
import type { KeyRecord } from "../../src/store/keys.ts"
import type { HoldRecord, ReceiptRecord } from "../../src/store/settlements.ts"
import type { StoreReader } from "../../src/store/store.ts"
import { verifyLedgers } from "../../src/ledger/verify/ledgers.ts"

const PAGE = 1_000

/** The ledger after a run. */
export interface LedgerView {
  readonly accounts: readonly AccountRecord[]
  readonly keys: readonly KeyRecord[]
  readonly entries: readonly EntryRecord[]
  readonly writeOffs: readonly WriteOffRecord[]
  readonly holds: readonly HoldRecord[]
  /** Receipts of all charged requests, and of all requests whose id is known. */
  readonly receipts: ReadonlyMap<string, ReceiptRecord>
  /** Number of nodes that have not left. */
  readonly nodes: number
  /** The problems that the gateway's own verification of the ledger found. */
  readonly problems: readonly string[]
}

/**
 * Reads a ledger.
 * @param known the ids of requests that callers know.
 */
export async function readLedger(
  store: StoreReader,
  known: ReadonlySet<string>,
): Promise<LedgerView> {
  const accounts = await store.accounts.list()
  const entries: EntryRecord[] = []
  const holds: HoldRecord[] = []
  for (const { id } of accounts) {
    entries.push(...(await entriesOf(store, id)))
    holds.push(...(await store.settlements.listHolds(id)))
  }
  const charged = entries.flatMap(({ request }) => (request === null ? [] : [request]))
  const receipts = new Map<string, ReceiptRecord>()
  for (const request of new Set([...known, ...charged])) {
    const receipt = await store.settlements.findReceipt(request)
    if (receipt) receipts.set(request, receipt)
  }
  const { problems } = await verifyLedgers(store)
  return {
    accounts,
    keys: await store.keys.list({ now: Date.now() }, null, PAGE),
    entries,
    writeOffs: await writeOffsOf(store),
    holds,
    receipts,
    nodes: (await store.nodes.list()).length,
    problems: problems.map(({ account, fault, message }) => `${account}: ${fault}: ${message}`),
  }
}

async function entriesOf(store: StoreReader, account: string): Promise<EntryRecord[]> {
  const all: EntryRecord[] = []
  for (;;) {
    const page = await store.entries.list(account, all.at(-1)?.number ?? 0, PAGE)
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

async function writeOffsOf(store: StoreReader): Promise<WriteOffRecord[]> {
  const all: WriteOffRecord[] = []
  for (;;) {
    const before = all.at(-1)?.number ?? null
    const page = await store.settlements.listWriteOffs(undefined, before, PAGE)
    all.push(...page)
    if (page.length < PAGE) return all
  }
}
