import { expect, test } from "bun:test"
import type { StoreReader } from "../../src/store/store.ts"
import { judgeDrill } from "../../src/cli/drill/drill.ts"

const RECEIPTS: Readonly<Record<string, object>> = {
  free: { status: "settled", cost: "0" },
  unpaid: { status: "settled", cost: "0.1" },
  released: { status: "released", cost: "0" },
  expired: { status: "expired", cost: "0" },
}

test("a drill counts complete responses without a charge as lost, unless their cost is zero", async () => {
  const store = {
    entries: { list: async () => [] },
    settlements: {
      findReceipts: async (requests: readonly string[]) =>
        requests.flatMap((request) => {
          const body = RECEIPTS[request]
          const shared = { account: "a", key: "k", at: 0, entry: null, budgets: [], late: false }
          return body ? [{ ...shared, request, body: JSON.stringify(body), writtenOff: [] }] : []
        }),
    },
  } as unknown as StoreReader
  const requests = [...Object.keys(RECEIPTS), "missing"]
  const results = requests.map((requestId) => ({ requestId, outcome: "whole" as const }))
  const { served, lost } = await judgeDrill(store, "a", results)
  expect({ served, lost }).toEqual({
    served: 5,
    lost: ["unpaid", "released", "expired", "missing"],
  })
})
