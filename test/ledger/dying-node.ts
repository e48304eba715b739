/** A process that joins, leases, holds, lets the journal write that down, and waits to be killed. */
import { Ledger } from "../../src/ledger/ledger.ts"
import { Node } from "../../src/ledger/node.ts"
import { openStore } from "../../src/store/open-store.ts"

const [path = "", id = ""] = process.argv.slice(2)
const store = await openStore(path)
const ledger = new Ledger(store, id, { writtenOff() {}, expired() {}, failed: console.error })
await Node.join(store, id, {
  onNews: (news) => ledger.tick(news.recalls),
  onForgotten: () => ledger.forgetLeases(),
  onExpired() {},
  onFailure: console.error,
})
const payer = { account: "account", key: "key", budgets: [], from: -Infinity, until: Infinity }
for (const request of ["settled", "lasting", "late"]) {
  const order = { request, payer, amount: 20n, receipt: () => `{"expired":"${request}"}` }
  const place = () => ledger.tryHold(order)
  const hold = await ledger.extend(payer, 20n, place)
  if (hold && request === "settled") await ledger.settle(hold, 5n, () => '{"settled":true}')
}
console.log("holding")
