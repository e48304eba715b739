import { expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { databaseOf } from "../../src/store/installation-database.ts"
import type { Store } from "../../src/store/store.ts"
import { AUDIT } from "../store/audit-record.ts"
import { posting } from "../store/contract/pruning.ts"
import { createInstallation, type Installation, startServing } from "../support/process.ts"

const YAML = "server: { port: 0 }\nproviders: { vendor: { vendor: openai, api_key: k } }\n"
const ACCOUNTS = 3_000
const CHARGES = 20_000
/**
 * Maximum additional bytes that a start may read for a ledger of any size. They are several pages of each index, or
 * more on a slow machine.
 */
const MORE = 500_000

async function fill(store: Store): Promise<void> {
  await store.nodes.join({ id: "node", process: 1, host: "test", beatAt: 1, machine: null })
  for (let number = 0; number < ACCOUNTS; number++) {
    const id = `account ${number}`
    await store.accounts.create({ id, name: id, createdAt: 1 }, AUDIT)
  }
  const grant = { kind: "grant", amount: 1_000_000n, note: null, author: null, at: 2 } as const
  await store.entries.add({ account: "account 1", ...grant }, AUDIT)
  await store.leases.take({ node: "node", owner: "account 1", wanted: 900_000n, min: 1n })
  const now = Date.now()
  for (let from = 0; from < CHARGES; from += 2_000) {
    const postings = Array.from({ length: 2_000 }, (_, index) =>
      posting(now - CHARGES + from + index, {
        account: "account 1",
        receipt: JSON.stringify({ status: "settled", filler: "x".repeat(1_000) }),
      }),
    )
    await store.settlements.post("node", { postings, opened: [], closed: [] })
  }
  for (let isBehind = true; isBehind;) ({ isBehind } = await store.integrity.advanceAnchor(now))
}

/**
 * Returns the number of bytes that a start has read when it reports its address. Files that are in memory are included.
 */
async function readByStart(installation: Installation): Promise<number> {
  await using serving = await startServing(installation)
  const text = readFileSync(`/proc/${serving.process.pid}/io`, "utf8")
  return Number(/^rchar: (\d+)$/m.exec(text)?.[1])
}

/** Returns the size of the kernel's table of sockets in bytes. A start reads this table, and other tests fill it. */
function socketTable(): number {
  return readFileSync("/proc/net/tcp").byteLength + readFileSync("/proc/net/tcp6").byteLength
}

test.skipIf(process.platform !== "linux")(
  "the start reads about as much data from a large ledger as from a small ledger",
  async () => {
    using small = createInstallation(YAML)
    using large = createInstallation(YAML)
    {
      await using store = await databaseOf(large).openStore()
      await fill(store)
    }
    const size = statSync(join(large.data, "tollgate.db")).size
    expect(size).toBeGreaterThan(40 * MORE)
    await readByStart(small)
    const first = await readByStart(small)
    // In the first case, a node has died and its lease must be returned.
    for (const _ of ["with a dead node", "in order"]) {
      const more = (await readByStart(large)) - first
      expect(more).toBeLessThan(MORE + socketTable())
    }
  },
)
