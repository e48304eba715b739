import { expect, test } from "bun:test"
import type { Usage, UsagePoint } from "tollgate-contract/usage.ts"
import { marginOf } from "../../console/src/format/margin.ts"
import { chartDataOf, OTHERS, totalAt } from "../../console/src/pages/usage/series.ts"
import { METRICS, metricOf } from "../../console/src/pages/usage/usage-metrics.ts"

const AT = "2026-11-24T00:00:00.000Z"
const SPAN = { from: AT, to: "2026-11-25T00:00:00.000Z", step: "day" } as const

function pointOf(group: string, cost: string): UsagePoint {
  return {
    at: AT,
    group,
    requests: 1,
    errors: 0,
    input: 1,
    output: 1,
    cost,
    written_off: "0.000000001",
    provider_cost: "0.1",
    mean_duration_ms: null,
    mean_first_byte_ms: null,
  }
}

/** Returns usage with more groups than a chart shows. */
function usageOf(costs: readonly string[]): Usage {
  const series = costs.map((cost, index) => pointOf(`model-${index}`, cost))
  return { object: "list", data: series, total: pointOf("", "0"), series }
}

test("a chart adds up the amounts of the remaining groups exactly", () => {
  const tiny = ["0.1", "0.2", "0.3", "0.000000001"]
  const { series } = chartDataOf(
    usageOf([...Array.from({ length: 8 }, () => "1"), ...tiny]),
    SPAN,
    metricOf("margin", true),
  )
  expect(series).toHaveLength(9)
  const [others] = series.at(-1)?.points ?? []
  expect(others).toMatchObject({
    group: OTHERS,
    requests: 4,
    cost: "0.600000001",
    provider_cost: "0.4",
    written_off: "0.000000004",
  })
  expect(marginOf(others!)).toBe("0.200000001")
})

test("every metric shows the smallest amounts of the remaining groups without an exponent", () => {
  const costs = Array.from({ length: 12 }, () => "0.00000001")
  for (const metric of METRICS) {
    const { series } = chartDataOf(usageOf(costs), SPAN, metric)
    for (const { points } of series) {
      for (const point of points) if (point) expect(metric.text(point)).not.toContain("e-")
    }
  }
})

test("the total at a point in time adds up all groups", () => {
  const points = [pointOf("a", "0.1"), pointOf("b", "0.000000002")]
  const series = points.map((point, color) => ({
    group: point.group,
    name: point.group,
    color,
    points: [point, undefined],
  }))
  const data = { moments: [AT, AT], series }
  expect(totalAt(data, 0)).toMatchObject({ cost: "0.100000002", requests: 2 })
  expect(totalAt(data, 1)).toBeUndefined()
})
