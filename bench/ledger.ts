/**
 * Measures the cost of charging on a real file: processor time and waiting time per request that is held and settled.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AUDIT } from "../test/store/audit-record.ts"
import { Ledger } from "../src/ledger/ledger.ts"
import { NANOCREDITS } from "../src/ledger/money.ts"
import { openServingStore } from "../src/store/sqlite/serving-store.ts"

const CONCURRENCIES = [1, 16, 64, 256]
const RECEIPT_LENGTH = 900
const ROUND_TIME = 2_000

const receipt = JSON.stringify({ status: "settled", filling: "x".repeat(RECEIPT_LENGTH - 35) })
const alarms = {
  writtenOff: (request: string) => console.error(`written off: ${request}`),
  settledLate: () => {},
  expired: () => {},
  failed: (error: unknown) => console.error(error),
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "tollgate-bench-"))
  await using cleaning = new AsyncDisposableStack()
  cleaning.defer(() => rmSync(directory, { recursive: true, force: true }))
  const store = cleaning.use(
    await openServingStore(join(directory, "tollgate.db"), process.argv[2] === "thread"),
  )
  const place = { process: process.pid, host: "bench", machine: null }
  const node = { id: "node_bench", ...place, beatAt: Date.now() }
  await store.nodes.join(node)
  const ledger = new Ledger(store, node.id, alarms)
  const now = Date.now()
  await store.accounts.create({ id: "account", name: "bench", createdAt: now }, AUDIT)
  const grant = { account: "account", kind: "grant", note: null, author: null } as const
  await store.entries.add({ ...grant, amount: 1_000_000n * NANOCREDITS, at: now }, AUDIT)
  const payer = { account: "account", key: "key", budgets: [], from: -Infinity, until: Infinity }
  await ledger.lease(payer, NANOCREDITS)
  let number = 0

  async function ask(): Promise<void> {
    const request = `req_${(number++).toString().padStart(24, "0")}`
    const order = { request, payer, amount: 50_000n, receipt: () => receipt }
    const hold = ledger.tryHold(order)
    if (!hold) throw new Error("the bench has no credits left")
    await ledger.settle(hold, 31_234n, () => receipt)
  }

  async function measure(concurrency: number, duration: number) {
    const times: number[] = []
    const cpuBefore = process.cpuUsage()
    const start = performance.now()
    async function loop(): Promise<void> {
      while (performance.now() - start < duration) {
        const begun = performance.now()
        await ask()
        times.push(performance.now() - begun)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, loop))
    const wall = performance.now() - start
    const { user, system } = process.cpuUsage(cpuBefore)
    const sorted = new Float64Array(times).toSorted()
    return {
      concurrency,
      "settled per second": Math.round((times.length / wall) * 1_000),
      "CPU, µs": Number(((user + system) / times.length).toFixed(1)),
      "p50, ms": Number(percentile(sorted, 0.5).toFixed(3)),
      "p99, ms": Number(percentile(sorted, 0.99).toFixed(3)),
    }
  }

  await measure(64, ROUND_TIME / 2)
  const table = []
  for (const concurrency of CONCURRENCIES) table.push(await measure(concurrency, ROUND_TIME))
  console.table(table)
}

await main()
