import { expect, test } from "bun:test"
import { overview, usage, usageQuery } from "tollgate-contract/usage.ts"
import { Overviews } from "../../src/management/overview.ts"
import { UsageReports } from "../../src/management/usage.ts"
import { ReportedDatabase } from "../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const HOUR = 3_600_000
const AT = Date.UTC(2026, 2, 2, 10, 30)
const SPAN = { from: "2026-03-01T00:00:00Z", to: "2026-03-04T00:00:00Z" }

function query(filter: Readonly<Record<string, string>> = {}) {
  return usageQuery.parse({ ...SPAN, ...filter })
}

test("usage totals have the format of the API, with the names of keys and accounts", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    { request: "req_1", at: AT, cost: 1_500n },
    { request: "req_2", at: AT, cost: 500n, account: "b", outcomes: ["upstream_error"] },
  )
  const reports = new UsageReports(own.database.store, own.reports)
  const days = await reports.usage(OPERATOR, query())
  expect(usage.parse(days)).toEqual({
    object: "list",
    data: [
      {
        group: "2026-03-02T00:00:00.000Z",
        requests: 2,
        errors: 1,
        input: 20,
        output: 10,
        cost: "0.000002",
        written_off: "0",
        provider_cost: "0",
        mean_duration_ms: 100,
        mean_first_byte_ms: 20,
      },
    ],
    total: {
      group: "",
      requests: 2,
      errors: 1,
      input: 20,
      output: 10,
      cost: "0.000002",
      written_off: "0",
      provider_cost: "0",
      mean_duration_ms: 100,
      mean_first_byte_ms: 20,
    },
  })
  const { data } = await reports.usage(OPERATOR, query({ group: "account" }))
  expect(data).toMatchObject([
    { group: "a", name: "name of a" },
    { group: "b", name: "name of b" },
  ])
  const keys = await reports.usage(OPERATOR, query({ group: "key", key: "key_b" }))
  expect(keys.data).toMatchObject([{ group: "key_b", name: "key_b", cost: "0.0000005" }])
  const hours = await reports.usage(OPERATOR, query({ group: "hour" }))
  expect(hours.data[0]?.group).toBe("2026-03-02T10:00:00.000Z")
})

test("usage totals cover the accounts that the user can access", async () => {
  await using own = await ReportedDatabase.open()
  await own.add({ request: "req_1", at: AT }, { request: "req_2", at: AT, account: "b" })
  const reports = new UsageReports(own.database.store, own.reports)
  const overviews = new Overviews(own.database.store, own.reports)
  const groups = async (actor = OPERATOR, filter = {}) =>
    (await reports.usage(actor, query({ group: "account", ...filter }))).data.map((r) => r.group)
  const viewer = userIn({ b: "viewer" })
  expect(await groups()).toEqual(["a", "b"])
  expect(await groups(viewer)).toEqual(["b"])
  expect(await groups(viewer, { key: "key_a" })).toEqual([])
  expect(await groups(userIn({}))).toEqual([])
  expect(await kindOf(reports.usage(viewer, query({ account: "a" })))).toBe("not_found")
  expect(await kindOf(overviews.overview(viewer, "a"))).toBe("not_found")
})

test("a usage time range that is reversed or too long is rejected", async () => {
  await using own = await ReportedDatabase.open()
  const reports = new UsageReports(own.database.store, own.reports)
  const rejected = (filter: Readonly<Record<string, string>>) =>
    kindOf(reports.usage(OPERATOR, query(filter)))
  expect(await rejected({ to: "2026-02-01T00:00:00Z" })).toBe("invalid_value")
  expect(await rejected({ from: "2025-01-01T00:00:00Z", group: "hour" })).toBe("invalid_value")
  expect(await rejected({ from: "2025-01-01T00:00:00Z" })).toBeUndefined()
  expect(await rejected({ from: "1970-01-01T00:00:00Z" })).toBe("invalid_value")
})

test("a usage series lists the first groups and combines all other groups", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    ...Array.from({ length: 12 }, (_, index) => ({
      request: `req_${index}`,
      at: AT + (index % 2) * 24 * HOUR,
      cost: BigInt(100 - index),
      model: `sim/model-${index}`,
    })),
  )
  const reports = new UsageReports(own.database.store, own.reports)
  const told = usage.parse(await reports.usage(OPERATOR, query({ group: "model", series: "day" })))
  expect(told.data).toHaveLength(12)
  expect(told.total).toMatchObject({ requests: 12, cost: "0.000001134" })
  const days = Map.groupBy(told.series ?? [], ({ at }) => at)
  expect([...days.keys()]).toEqual(["2026-03-02T00:00:00.000Z", "2026-03-03T00:00:00.000Z"])
  for (const points of days.values()) expect(points.map(({ group }) => group)).toContain("")
  const others = (told.series ?? []).filter(({ group }) => group === "")
  expect(others.map(({ cost }) => cost)).toEqual(["0.00000009", "0.000000089"])
  const few = await reports.usage(
    OPERATOR,
    query({ group: "model", series: "day", series_groups: "1" }),
  )
  expect(few.series?.map(({ group }) => group)).toEqual(["", "sim/model-0", ""])
  const whole = await reports.usage(OPERATOR, query({ group: "day", series: "day" }))
  expect(whole.series?.map(({ group, requests }) => [group, requests])).toEqual([
    ["", 6],
    ["", 6],
  ])
})

test("usage lists the largest group of the requested metric first, with the previous period", async () => {
  await using own = await ReportedDatabase.open()
  const dear = { model: "sim/dear", cost: 50n, usage: { input: 1, output: 1 } }
  const busy = { model: "sim/busy", cost: 1n, outcomes: ["upstream_error"] }
  await own.add(
    { request: "req_1", at: AT, ...dear },
    { request: "req_2", at: AT, ...busy },
    { request: "req_3", at: AT, ...busy },
    { request: "req_4", at: AT - 72 * HOUR, ...dear },
  )
  const reports = new UsageReports(own.database.store, own.reports)
  const first = async (order: string) => {
    const { data } = await reports.usage(OPERATOR, query({ group: "model", order }))
    return data[0]?.group
  }
  expect(await first("cost")).toBe("sim/dear")
  expect(await first("requests")).toBe("sim/busy")
  expect(await first("tokens")).toBe("sim/busy")
  expect(await first("errors")).toBe("sim/busy")
  const { before } = await reports.usage(OPERATOR, query({ group: "model", before: "true" }))
  expect(before?.total).toMatchObject({ requests: 1, cost: "0.00000005" })
  expect(before?.data.map(({ group }) => group)).toEqual(["sim/dear"])
})

test("latencies are reported for each group, for each point in time, and in total", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    ...Array.from({ length: 20 }, (_, index) => ({
      request: `req_${index}`,
      at: AT + index,
      duration: 100 * (index + 1),
      firstByte: index,
      usage: { output: 10 * (index + 1) },
      model: index < 10 ? "sim/quick" : "sim/slow",
      labels: { tags: { speed: index < 10 ? "quick" : "slow", all: "yes" } },
    })),
  )
  const reports = new UsageReports(own.database.store, own.reports)
  const told = usage.parse(
    await reports.usage(OPERATOR, query({ group: "model", times: "true", series: "hour" })),
  )
  expect(told.sampled).toBe(false)
  expect(told.total.times).toEqual({
    p50_duration_ms: 1_000,
    p95_duration_ms: 1_900,
    p50_first_byte_ms: 9,
    p95_first_byte_ms: 18,
    tokens_per_second: 100,
  })
  const p95 = (
    rows: readonly { group: string; times?: { p95_duration_ms: number | null } | undefined }[],
  ) => rows.map(({ group, times }) => [group, times?.p95_duration_ms]).toSorted()
  const both = [
    ["sim/quick", 1_000],
    ["sim/slow", 2_000],
  ]
  expect(p95(told.data)).toEqual(both)
  expect(p95(told.series ?? [])).toEqual(both)
  const tagged = usage.parse(await reports.usage(OPERATOR, query({ group: "tag", times: "true" })))
  expect(p95(tagged.data)).toEqual([
    ["all=yes", 1_900],
    ["speed=quick", 1_000],
    ["speed=slow", 2_000],
  ])
  expect(tagged.total.times?.p95_duration_ms).toBe(1_900)
})

test("provider costs are visible only to operators", async () => {
  await using own = await ReportedDatabase.open()
  await own.add({ request: "req_1", at: AT })
  const reports = new UsageReports(own.database.store, own.reports)
  const { data, total } = await reports.usage(userIn({ a: "owner" }), query({ series: "day" }))
  for (const row of [...data, total]) {
    expect(row).not.toHaveProperty("provider_cost")
    expect(row).not.toHaveProperty("written_off")
  }
})

test("the overview covers today, this month, the last thirty days, and the hours of the day", async () => {
  await using own = await ReportedDatabase.open()
  const now = Date.now()
  await own.add(
    { request: "req_1", at: now, cost: 5n, duration: 300 },
    { request: "req_2", at: now, cost: 6n, duration: 100, outcomes: ["upstream_error"] },
    { request: "req_3", at: now - 10 * 24 * HOUR, cost: 7n, model: "sim/other" },
    { request: "req_4", at: now - 40 * 24 * HOUR, cost: 9n },
    { request: "req_5", at: now, cost: 100n, account: "b" },
  )
  const overviews = new Overviews(own.database.store, own.reports)
  const told = overview.parse(await overviews.overview(userIn({ a: "viewer" }), undefined))
  const isSameMonth = new Date(now - 10 * 24 * HOUR).getUTCMonth() === new Date(now).getUTCMonth()
  expect(told).toMatchObject({
    balance: "999.999999973",
    spent_today: "0.000000011",
    spent_month: isSameMonth ? "0.000000018" : "0.000000011",
    requests_today: 2,
    errors_today: 1,
    p50_duration_ms: 100,
    p95_duration_ms: 300,
    top_models: [
      { group: "sim/echo", requests: 2 },
      { group: "sim/other", requests: 1 },
    ],
    top_keys: [{ group: "key_a", name: "key_a", requests: 3 }],
  })
  expect(told.days).toHaveLength(30)
  expect(told.days.at(-1)).toMatchObject({ requests: 2, cost: "0.000000011" })
  expect(told.days.at(-11)).toMatchObject({ requests: 1 })
  expect(told.days.at(-2)).toMatchObject({ requests: 0, cost: "0", mean_duration_ms: null })
  expect(told.hours).toHaveLength(24)
  expect(told.hours.at(-1)?.requests).toBe(2)
  const everybody = await overviews.overview(OPERATOR, undefined)
  expect(everybody).toMatchObject({ balance: "1999.999999873", requests_today: 3 })
  expect(await overviews.overview(OPERATOR, "b")).toMatchObject({ spent_today: "0.0000001" })
})

test("the overview of an account without requests is empty", async () => {
  await using own = await ReportedDatabase.open()
  const overviews = new Overviews(own.database.store, own.reports)
  const shown = overview.parse(await overviews.overview(userIn({ a: "owner" }), "a"))
  const nothing = { requests_today: 0, p50_duration_ms: null, top_models: [], top_keys: [] }
  expect(shown).toMatchObject({ ...nothing, spent_today: "0", spent_month: "0" })
  expect(shown.is_incomplete).toBe(false)
})

test("the overview is marked as incomplete while the reports are behind the ledger", async () => {
  await using own = await ReportedDatabase.open()
  const reports = { isBehind: true, upToDate: () => own.reports.upToDate() }
  const shown = await new Overviews(own.database.store, reports).overview(OPERATOR, undefined)
  expect(shown.is_incomplete).toBe(true)
})
