import { expect, test } from "bun:test"
import { usageChanges, usageChangesQuery } from "tollgate-contract/usage.ts"
import { UsageChangeReports } from "../../src/management/usage-changes.ts"
import { ReportedDatabase } from "../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const DAY = 86_400_000
const MONDAY = Date.UTC(2026, 2, 2)
const TUESDAY = MONDAY + DAY
const SPAN = { from: "2026-03-03T00:00:00Z", to: "2026-03-04T00:00:00Z" }

function query(filter: Readonly<Record<string, string>> = {}) {
  return usageChangesQuery.parse({ ...SPAN, ...filter })
}

async function openReports(): Promise<
  AsyncDisposable & { readonly reports: UsageChangeReports; readonly own: ReportedDatabase }
> {
  const own = await ReportedDatabase.open()
  await own.add(
    { request: "req_1", at: MONDAY, cost: 1_000n, model: "small", labels: { user: "ann" } },
    { request: "req_2", at: MONDAY + 1, cost: 4_000n, model: "old", account: "b" },
    {
      request: "req_3",
      at: TUESDAY,
      cost: 9_000n,
      model: "large",
      labels: { user: "ann", session: "run", tags: { team: "blue" } },
    },
    { request: "req_4", at: TUESDAY + 1, cost: 2_000n, model: "small" },
    { request: "req_5", at: TUESDAY + 2, cost: 500n, model: "old", account: "b" },
  )
  return {
    own,
    reports: new UsageChangeReports(own.reports),
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  }
}

test("a usage comparison of two days lists the keys, models and labels that spent more", async () => {
  await using opened = await openReports()
  const changes = await opened.reports.report(OPERATOR, query())
  expect(usageChanges.parse(changes)).toMatchObject({
    from: "2026-03-03T00:00:00.000Z",
    compared_from: "2026-03-02T00:00:00.000Z",
    compared_to: "2026-03-03T00:00:00.000Z",
    cost: "0.0000115",
    compared_cost: "0.000005",
    change: "0.0000065",
    requests: 3,
    compared_requests: 2,
  })
  expect(changes.data.map(({ kind, group, change }) => [kind, group, change])).toEqual([
    ["key", "key_a", "0.00001"],
    ["model", "large", "0.000009"],
    ["session", "run", "0.000009"],
    ["tag", "team=blue", "0.000009"],
    ["user", "ann", "0.000008"],
    ["model", "small", "0.000001"],
  ])
  expect(changes.data[0]).toMatchObject({ name: "key_a", cost: "0.000011", compared_requests: 1 })
})

test("a usage comparison lists the keys and models that spent less if the total decreased", async () => {
  await using opened = await openReports()
  const span = { compared_from: SPAN.from, compared_to: SPAN.to }
  const monday = { from: "2026-03-02T00:00:00Z", to: "2026-03-03T00:00:00Z" }
  const changes = await opened.reports.report(OPERATOR, query({ ...monday, ...span }))
  expect(changes.change).toBe("-0.0000065")
  expect(changes.data.every(({ change }) => change.startsWith("-"))).toBeTrue()
  expect(changes.data.map(({ group }) => group)).not.toContain("old")
})

test("a usage comparison can be filtered, and excludes accounts of other users", async () => {
  await using opened = await openReports()
  const ofModel = await opened.reports.report(OPERATOR, query({ model: "small" }))
  expect(ofModel.data.map(({ group }) => group)).toEqual(["key_a"])
  const ofUser = await opened.reports.report(userIn({ b: "viewer" }), query())
  expect(ofUser.change).toBe("-0.0000035")
  expect(ofUser.data.map(({ group }) => group)).toEqual(["key_b", "old"])
  const foreign = opened.reports.report(userIn({ b: "viewer" }), query({ account: "a" }))
  expect(await kindOf(foreign)).toBe("not_found")
})

test("a usage comparison of two equal periods lists no causes", async () => {
  await using opened = await openReports()
  const span = { compared_from: SPAN.from, compared_to: SPAN.to }
  const changes = await opened.reports.report(OPERATOR, query(span))
  expect(changes).toMatchObject({ change: "0", data: [] })
})
