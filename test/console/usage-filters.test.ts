import { expect, test } from "bun:test"
import {
  momentsOf,
  rangeFilters,
  requestsSearchOf,
  spanOf,
  usageQueryOf,
} from "../../console/src/pages/usage/usage-filters.ts"
import { metricOf } from "../../console/src/pages/usage/usage-metrics.ts"

const NOW = Date.UTC(2026, 10, 24, 10, 30)

test("a usage time range ends with the current hour or day, and has steps of hours or days", () => {
  expect(spanOf({ time: "24h" }, NOW)).toEqual({
    from: "2026-11-23T11:00:00.000Z",
    to: "2026-11-24T11:00:00.000Z",
    step: "hour",
  })
  expect(spanOf({}, NOW)).toEqual({
    from: "2026-10-26T00:00:00.000Z",
    to: "2026-11-25T00:00:00.000Z",
    step: "day",
  })
  expect(spanOf({ time: "yesterday" }, NOW)).toEqual({
    from: "2026-11-23T00:00:00.000Z",
    to: "2026-11-24T00:00:00.000Z",
    step: "hour",
  })
  expect(spanOf({ time: "last_month" }, NOW)).toMatchObject({
    from: "2026-10-01T00:00:00.000Z",
    step: "day",
  })
  expect(spanOf({ time: "custom" }, NOW)).toBeUndefined()
  const backwards = { time: "custom", from: "2026-11-24T00:00", to: "2026-11-23T00:00" }
  expect(spanOf(backwards, NOW)).toBeUndefined()
})

test("a usage chart has every step of its time range, even steps without requests", () => {
  const span = spanOf({ time: "7d" }, NOW)!
  const moments = momentsOf(span)
  expect(moments).toHaveLength(7)
  expect(moments[0]).toBe(span.from)
  expect(moments.at(-1)).toBe("2026-11-24T00:00:00.000Z")
})

test("the query of a usage page and the links of its rows keep the filters", () => {
  const filters = { group: "user", model: "x/y", metric: "p95", view: "table" }
  const span = spanOf(filters, NOW)!
  const query = usageQueryOf(filters, "acc", span, metricOf("p95", false))
  expect(query).toMatchObject({
    account: "acc",
    model: "x/y",
    group: "user",
    order: "requests",
    times: "true",
  })
  expect(query).not.toHaveProperty("view")
  const search = requestsSearchOf(filters, "ann", span, (iso) => iso)
  expect(search).toEqual({
    model: "x/y",
    user: "ann",
    time: "custom",
    from: span.from,
    to: span.to,
  })
  const of = (group: string, name: string) => requestsSearchOf({ group }, name, span, (iso) => iso)
  expect(of("account", "acc")).toMatchObject({ account: "acc" })
  expect(of("outcome", "ok")).toMatchObject({ status: "ok" })
  expect(of("outcome", "upstream_error")).toMatchObject({ search: "upstream_error" })
  expect(of("outcome", "upstream_error")).not.toHaveProperty("outcome")
  expect(of("user", "")).not.toHaveProperty("user")
})

test("a user who is not an operator gets the default metric instead of an operator metric", () => {
  expect(metricOf("margin", true).value).toBe("margin")
  expect(metricOf("margin", false).value).toBe("cost")
  expect(metricOf("nonsense", true).value).toBe("cost")
})

test("selected bars of a chart become a custom time range that includes the last bar", () => {
  const same = (iso: string) => iso
  const [first, last] = ["2026-11-22T00:00:00.000Z", "2026-11-24T00:00:00.000Z"]
  expect(rangeFilters({ step: "day" }, first, last, same)).toEqual({
    time: "custom",
    from: first,
    to: "2026-11-25T00:00:00.000Z",
  })
  expect(rangeFilters({ step: "hour" }, last, last, same)).toMatchObject({
    from: last,
    to: "2026-11-24T01:00:00.000Z",
  })
})
