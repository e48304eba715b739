import { expect, test } from "bun:test"
import type { Usage, UsagePoint } from "tollgate-contract/usage.ts"
import { TREND_DAYS, trendsOf } from "../../console/src/pages/keys/key-trends.ts"

const START = Date.UTC(2026, 10, 11)
const SUMS = { requests: 1, errors: 0, input: 1, output: 1 }
const TIMES = { mean_duration_ms: null, mean_first_byte_ms: null }

function pointOf(group: string, day: number, cost: string): UsagePoint {
  const at = new Date(START + day * 86_400_000).toISOString()
  return { group, at, cost, ...SUMS, ...TIMES }
}

test("the trend of a key contains its spending per day, with zero for days without requests", () => {
  const usage: Usage = {
    object: "list",
    data: [],
    total: { group: "", cost: "0", ...SUMS, ...TIMES },
    series: [pointOf("key_a", 0, "0.5"), pointOf("key_b", 13, "2"), pointOf("key_a", 12, "1.5")],
  }
  const trends = trendsOf(usage, START)
  expect(trends.get("key_a")).toHaveLength(TREND_DAYS)
  expect(trends.get("key_a")?.filter((value) => value > 0)).toEqual([0.5, 1.5])
  expect(trends.get("key_b")?.at(-1)).toBe(2)
})
