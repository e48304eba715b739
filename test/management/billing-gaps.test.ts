import { expect, test } from "bun:test"
import { BillingGapReports } from "../../src/management/billing-gaps.ts"
import type { ReceiptRecord } from "../../src/store/settlements.ts"
import { OPERATOR } from "./actors.ts"

const AT = Date.parse("2026-11-01T00:00:00Z")

function charged(request: string, amount: bigint, body: object): ReceiptRecord {
  return {
    request,
    account: "acc",
    key: "key",
    at: AT,
    body: JSON.stringify(body),
    entry: { amount: -amount } as ReceiptRecord["entry"],
    budgets: [],
    late: false,
    writtenOff: [],
  }
}

/** Returns the report for the given receipts. */
function reportOn(receipts: ReceiptRecord[]) {
  const query = { from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" }
  const settlements = { listReceipts: async () => receipts }
  return new BillingGapReports({ settlements }).report(OPERATOR, query)
}

test("the billing gaps report counts a request with several unpriced features once in the total", async () => {
  const { unpriced } = await reportOn([
    charged("req_1", 1_000_000_000n, { unpriced: ["tools[0].type", "plugins[0]"] }),
    charged("req_2", 2_000_000_000n, { unpriced: ["plugins[0]"] }),
  ])
  expect(unpriced).toEqual({
    requests: 2,
    amount: "3",
    rows: [
      { name: "plugins[0]", requests: 2, amount: "3" },
      { name: "tools[0].type", requests: 1, amount: "1" },
    ],
  })
})

test("the billing gaps report counts several attempts with the same outcome as one request", async () => {
  const attempt = { outcome: "upstream_timeout", provider_cost: "0.1" }
  const { uncharged } = await reportOn([charged("req_1", 0n, { attempts: [attempt, attempt] })])
  expect(uncharged).toEqual({
    requests: 1,
    amount: "0.2",
    rows: [{ name: "upstream_timeout", requests: 1, amount: "0.2" }],
  })
})
