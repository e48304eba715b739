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

test("counts a request with several unpriced features once in the sum", async () => {
  const receipts = [
    charged("req_1", 1_000_000_000n, { unpriced: ["tools[0].type", "plugins[0]"] }),
    charged("req_2", 2_000_000_000n, { unpriced: ["plugins[0]"] }),
  ]
  const settlements = { listReceipts: async () => receipts } as unknown as ConstructorParameters<
    typeof BillingGapReports
  >[0]["settlements"]
  const query = { from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" }
  const { unpriced } = await new BillingGapReports({ settlements }).report(OPERATOR, query)
  expect(unpriced).toEqual({
    requests: 2,
    amount: "3",
    rows: [
      { name: "plugins[0]", requests: 2, amount: "3" },
      { name: "tools[0].type", requests: 1, amount: "1" },
    ],
  })
})
