/** A node that settles batches as fast as a database accepts them (see measure/settlements.ts). */
import { openStore, type SettlerOrder } from "./measure/settlements.ts"

const RECEIPT = JSON.stringify({
  id: "x",
  status: "settled",
  endpoint: "/v1/chat/completions",
  model: "openai/gpt-5",
  deployment: "openai/gpt-5",
  stream: true,
  duration_ms: 812,
  first_byte_ms: 120,
  usage: { input: 1_200, output: 330 },
  attempts: [{ deployment: "openai/gpt-5", outcome: "ok", status: 200 }],
  filling: "x".repeat(500),
})
const LEASE = 1_000_000_000_000n

const order = JSON.parse(process.argv[2] ?? "") as SettlerOrder
const { url, node, accounts, batch, time } = order
await using store = await openStore(url)
await store.nodes.join({ id: node, process: process.pid, host: "bench", machine: null, beatAt: 0 })
for (const owner of accounts) await store.leases.take({ node, owner, wanted: LEASE, min: 1n })
console.log("ready")
await Bun.stdin.text()

let count = 0
const end = performance.now() + time
while (performance.now() < end) {
  const at = Date.now()
  const postings = Array.from({ length: batch }, () => {
    const account = accounts[Math.floor(Math.random() * accounts.length)] ?? ""
    const request = `req_${Bun.randomUUIDv7()}`
    const charge = { key: `key_${account}`, budgets: [], amount: 1_000n, writtenOff: [] }
    return { request, account, ...charge, at, receipt: RECEIPT }
  })
  await store.settlements.post(node, { postings, opened: [], closed: [] })
  count += batch
}
console.log(count)
