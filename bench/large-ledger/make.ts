import { DAY_MS } from "#contract/durations.ts"
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { KeyIssuer } from "../../test/support/key-issuer.ts"
import { AUDIT } from "../../test/store/audit-record.ts"
import { type Key, keyFromRecord } from "../../src/keys/key.ts"
import { KeyHasher } from "../../src/keys/secret.ts"
import { NANOCREDITS } from "../../src/ledger/money.ts"
import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import type { Store } from "../../src/store/store.ts"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import { Traffic } from "./traffic.ts"
import { bringUpAnchor, openUnsafely } from "./unsafe-store.ts"

/** The size of a ledger. */
export interface LedgerSize {
  readonly accounts: number
  /** Number of keys of all accounts together. Each account has the same number of keys. */
  readonly keys: number
  /** Number of requests with receipts. Nearly all of them are charges. */
  readonly entries: number
  /** Number of days over which the requests are spread. The last day is today. */
  readonly days: number
}

export interface MadeLedger {
  /** Size of `tollgate.db` in bytes. */
  readonly size: number
  /** Secrets of all keys. The keys of the account with the most requests come first. */
  readonly secrets: readonly string[]
}

const NODE = { id: "node_maker", process: process.pid, host: "bench", machine: null }
const BATCH = 25_000
/** Credits of an account or of a budget, which are more than all requests cost. */
const PLENTY = 1_000_000n * NANOCREDITS
/** One of every `WITH_BUDGETS` keys and accounts has budgets. */
const WITH_BUDGETS = 4

/**
 * Creates a data folder with a large ledger: accounts, keys with budgets, and requests with receipts, chained as the
 * store chains them. Until it is complete, a crash may destroy it, so that each request takes only about 35 µs.
 * @param folder an empty or missing folder.
 * @param onProgress called with the number of requests so far.
 */
export async function makeLargeLedger(
  folder: string,
  size: LedgerSize,
  onProgress: (entries: number) => void = () => {},
): Promise<MadeLedger> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`)
  const path = databaseFileIn(folder)
  const hasher = new KeyHasher(new SecretFolder(folder).readOrCreate("key-pepper"))
  let secrets: string[]
  {
    await using store = openUnsafely(path)
    await store.nodes.join({ ...NODE, beatAt: Date.now() })
    const made = await makeKeys(store, hasher, size)
    secrets = made.secrets
    // If the anchor is up to date, later postings are added to it as they are written.
    await bringUpAnchor(store)
    await makeRequests(store, new Traffic(made.keys), size, onProgress)
    await store.nodes.remove(NODE.id, Date.now())
    await bringUpAnchor(store)
  }
  // Opening the store again turns it into a normal store, with a write-ahead log and durable writes.
  openSqliteStore(path).close()
  writeFileSync(join(folder, "keys.txt"), `${secrets.join("\n")}\n`, { mode: 0o600 })
  return { size: statSync(path).size, secrets }
}

async function makeKeys(store: Store, hasher: KeyHasher, size: LedgerSize) {
  const issuer = new KeyIssuer(store, hasher)
  const createdAt = Date.now() - size.days * DAY_MS
  const perAccount = Math.max(1, Math.round(size.keys / size.accounts))
  const secrets: string[] = []
  const keys: Key[][] = []
  for (let number = 0; number < size.accounts; number++) {
    const account = `acc_${number.toString().padStart(16, "0")}`
    const hasBudgets = number % WITH_BUDGETS === 1
    const limits = hasBudgets ? { limits: { monthlyBudget: PLENTY.toString() } } : {}
    await store.accounts.create(
      { id: account, name: `account ${number}`, createdAt, ...limits },
      AUDIT,
    )
    const grant = { account, kind: "grant", amount: PLENTY, note: null, author: null } as const
    await store.entries.add({ ...grant, at: createdAt }, AUDIT)
    const own: Key[] = []
    for (let index = 0; index < perAccount; index++) {
      const order = { account, name: `key ${index}`, ...budgetsOf(index) }
      const { secret, key } = await issuer.issue(order)
      secrets.push(secret)
      own.push(keyFromRecord(key))
    }
    keys.push(own)
  }
  return { keys, secrets }
}

function budgetsOf(index: number) {
  return index % WITH_BUDGETS === 1 ? { budget: PLENTY, dailyBudget: PLENTY } : {}
}

async function makeRequests(
  store: Store,
  traffic: Traffic,
  { entries, days }: LedgerSize,
  onProgress: (entries: number) => void,
): Promise<void> {
  const until = Date.now()
  const from = until - days * DAY_MS
  const leased = new Set<string>()
  for (let made = 0; made < entries;) {
    const count = Math.min(BATCH, entries - made)
    const postings = Array.from({ length: count }, (_, index) =>
      traffic.next(Math.floor(from + ((made + index) / entries) * (until - from))),
    )
    for (const { account, budgets } of postings) {
      for (const owner of [account, ...budgets]) {
        if (leased.has(owner)) continue
        await store.leases.take({ node: NODE.id, owner, wanted: PLENTY, min: 1n })
        leased.add(owner)
      }
    }
    await store.settlements.post(NODE.id, { postings, opened: [], closed: [] })
    made += count
    onProgress(made)
  }
}
