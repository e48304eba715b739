import { join } from "node:path"
import { databaseAt } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import { AUDIT } from "../../test/store/audit-record.ts"
import type { PostgresServer } from "../../test/support/postgres-server.ts"
import { onAllCores } from "../machine.ts"
import { cleanEnvironment } from "../subjects/server-process.ts"

const SETTLER = join(import.meta.dir, "../settler.ts")
const NODES = 4
const MANY_ACCOUNTS = 1_000
const CREDITS = 1_000_000_000_000_000n
const CONNECTIONS = 3

/** The parameters of a process that runs `settler.ts`. */
export interface SettlerOrder {
  readonly url: string
  readonly node: string
  readonly accounts: readonly string[]
  /** Number of settlements in a batch. */
  readonly batch: number
  /** Duration in milliseconds. */
  readonly time: number
}

/** The rate of settlements that a database accepted from several nodes at the same time. */
export interface SettlementRate {
  readonly nodes: number
  readonly batch: number
  readonly accounts: number
  readonly perSecond: number
}

/** The measured combinations of batch size and number of accounts. */
const CASES = [
  { batch: 17, accounts: MANY_ACCOUNTS },
  { batch: 17, accounts: 1 },
  { batch: 100, accounts: MANY_ACCOUNTS },
  { batch: 100, accounts: 1 },
] as const

/** Opens the ledger of a database, as a node does. */
export function openStore(url: string): Promise<Store> {
  return databaseAt({ engine: "postgresql", url, connections: CONNECTIONS }).openStore()
}

/** @param time the duration of each case in milliseconds. */
export async function measureSettlements(
  server: PostgresServer,
  time: number,
): Promise<readonly SettlementRate[]> {
  const rates: SettlementRate[] = []
  for (const { batch, accounts } of CASES) {
    const url = server.url(await server.create())
    const names = Array.from({ length: accounts }, (_, index) => `account_${index}`)
    {
      await using store = await openStore(url)
      await createAccounts(store, names)
    }
    const settlers = await Promise.all(
      Array.from({ length: NODES }, (_, index) =>
        startSettler({ url, node: `node_${index}`, accounts: names, batch, time }),
      ),
    )
    const counts = await Promise.all(settlers.map((settle) => settle()))
    const count = counts.reduce((sum, one) => sum + one, 0)
    rates.push({ nodes: NODES, batch, accounts, perSecond: (count / time) * 1_000 })
  }
  return rates
}

/** Creates accounts with more than enough credits. */
export async function createAccounts(store: Store, names: readonly string[]): Promise<void> {
  const grant = { kind: "grant", amount: CREDITS, at: 0, note: null, author: null } as const
  for (const id of names) {
    await store.accounts.create({ id, name: id, createdAt: 0 }, AUDIT)
    await store.entries.add({ ...grant, account: id }, AUDIT)
  }
}

/**
 * Starts a settler, and resolves when it has leased its credits.
 * @returns a function that lets the settler start and resolves with its number of settlements.
 */
async function startSettler(order: SettlerOrder): Promise<() => Promise<number>> {
  const child = Bun.spawn([...onAllCores(), process.execPath, SETTLER, JSON.stringify(order)], {
    env: cleanEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const output = child.stdout.getReader()
  await output.read()
  return async () => {
    await child.stdin.end()
    const { value } = await output.read()
    const count = Number(new TextDecoder().decode(value))
    if ((await child.exited) !== 0 || !(count > 0)) throw new Error("a settler failed")
    return count
  }
}
