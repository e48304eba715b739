/**
 * A process that joins, leases and holds credits, has the journal record this, and waits to be killed. At a signal, it
 * settles its hold. If a folder is given, it holds a lock in the folder.
 */
import type { Hold } from "../../src/ledger/hold.ts"
import { Ledger } from "../../src/ledger/ledger.ts"
import { Node, type NodeListeners } from "../../src/ledger/node.ts"
import { NodeLocks } from "../../src/store/node-locks.ts"
import { databaseAt } from "../../src/store/installation-database.ts"

const [path = "", id = "", folder] = process.argv.slice(2)
const store = await databaseAt({ engine: "sqlite", path }).openStore()
const alarms = { writtenOff() {}, settledLate() {}, expired() {}, failed: console.error }
const ledger = new Ledger(store, id, alarms)
const listeners: NodeListeners = {
  onChanges: (changes) => ledger.tick(changes.recalls),
  onRejoined: (id) => ledger.rejoin(id),
  onExpired() {},
  onFailure: console.error,
}
await Node.join(
  store,
  id,
  listeners,
  folder ? { locks: new NodeLocks(folder, "this machine") } : {},
)
const payer = { account: "account", key: "key", budgets: [], from: -Infinity, until: Infinity }
const holds = new Map<string, Hold>()
for (const request of ["settled", "lasting", "late"]) {
  const order = { request, payer, amount: 20n, receipt: () => `{"expired":"${request}"}` }
  const place = () => ledger.tryHold(order)
  const hold = await ledger.extend(payer, 20n, place)
  if (hold && request === "settled") await ledger.settle(hold, 5n, () => '{"settled":true}')
  else if (hold) holds.set(request, hold)
}
process.on("SIGUSR2", () => {
  for (const [request, hold] of holds) void ledger.settle(hold, 7n, () => `{"after":"${request}"}`)
})
console.log("holding")
