import { expect, test } from "bun:test"
import { requestQuery } from "tollgate-contract/receipts.ts"
import { requestCountQuery } from "tollgate-contract/usage.ts"
import { openAllRequestsTable } from "../../src/management/request-table.ts"
import { AllRequests } from "../../src/management/all-requests.ts"
import { Failures } from "../../src/management/failures.ts"
import {
  failureQuery,
  type ListedRequestPage,
  listedRequestQuery,
  requestListTableQuery,
} from "tollgate-contract/failures.ts"
import { RequestCountReports } from "../../src/management/request-counts.ts"
import { Requests } from "../../src/management/requests.ts"
import type { FailedAttempt, FailedRequest, FailureLog } from "../../src/store/failure-log.ts"
import { firstRequestOf, startOf } from "../../src/store/request-search.ts"
import { ReportedDatabase } from "../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

type Query = Readonly<Record<string, string>>
type ListedPage = Pick<ListedRequestPage, "next_cursor" | "searched_from"> & {
  readonly data: readonly { readonly id: string }[]
}

const HOUR = 3_600_000
const AT = Date.UTC(2026, 2, 2, 10)

/** Returns the id of a request that starts some milliseconds after `AT`. */
function idAt(delay: number): string {
  return `${firstRequestOf(AT + delay)}-7000-8000-000000000000`
}

/** Returns the delays of the requests that a search finds, newest first, and the number of requests in the chart. */
async function searched(own: ReportedDatabase, search: string, actor = OPERATOR) {
  const { data } = await new Requests(own.sources).list(actor, requestQuery.parse({ search }))
  const span = { from: new Date(AT).toISOString(), to: new Date(AT + HOUR).toISOString() }
  const counts = new RequestCountReports(own.reports, own.failures)
  const chart = await counts.report(
    actor,
    requestCountQuery.parse({ ...span, search, step: "hour" }),
  )
  const [bar = { answered: 0, failed: 0, rejected: 0 }] = chart.data
  return {
    found: data.map(({ at }) => Date.parse(at) - AT),
    counted: bar.answered + bar.failed,
    rejected: bar.rejected,
  }
}

function failedAttempt(delay: number, change: Partial<FailedAttempt> = {}): FailedAttempt {
  const known = { deployment: "sim/echo", status: 404, kind: "upstream_error", code: null }
  return { request: idAt(delay), at: AT + delay, ...known, message: "No such engine", ...change }
}

function failedRequest(delay: number, change: Partial<FailedRequest> = {}): FailedRequest {
  const known = { endpoint: "/v1/messages", status: 404, parameter: null, account: "a" }
  const cause = { kind: "model_not_found", message: "The model does not exist." }
  return {
    request: idAt(delay),
    at: AT + delay,
    ...known,
    ...cause,
    key: "key_a",
    model: "x",
    ...change,
  }
}

test("the search finds errors, outcomes, models, keys, labels and ids, and the chart has the same requests", async () => {
  await using own = await ReportedDatabase.open()
  await own.database.key("laptop", "a", null)
  const add = (delay: number, request = {}) => ({
    request: idAt(delay),
    at: AT + delay,
    ...request,
  })
  await own.add(
    add(1, { model: "openai/gpt-5", labels: { user: "anna", tags: { team: "blue" } } }),
    add(2, { outcomes: ["upstream_timeout"] }),
    add(3, { key: "laptop", labels: { session: "anna-1" } }),
    add(4, { outcomes: ["upstream_error"], model: "openai/gpt-5" }),
    add(5, { account: "b", outcomes: ["rejected_by_upstream"] }),
  )
  await own.failures.add(
    [
      failedRequest(6, { key: "laptop" }),
      failedRequest(5, { account: "b", kind: "rejected_by_upstream" }),
    ],
    [
      failedAttempt(4),
      failedAttempt(5, { kind: "rejected_by_upstream", message: "engine is off" }),
    ],
  )
  const one = (...found: number[]) => ({ found, counted: found.length, rejected: 0 })
  expect(await searched(own, "ENGINE")).toEqual(one(5, 4))
  expect(await searched(own, " such engine ")).toEqual(one(4))
  expect(await searched(own, "timeout")).toEqual(one(2))
  expect(await searched(own, "GPT")).toEqual(one(4, 1))
  expect(await searched(own, "anna")).toEqual(one(3, 1))
  expect(await searched(own, "team=b")).toEqual(one(1))
  expect(await searched(own, idAt(3))).toEqual(one(3))
  expect(await searched(own, idAt(3).slice(4, 15))).toEqual(one(5, 4, 3, 2, 1))
  expect(await searched(own, "nothing has this")).toEqual(one())
  expect(await searched(own, "laptop")).toEqual({ found: [3], counted: 1, rejected: 1 })
  expect(await searched(own, "does not exist")).toEqual({ found: [5], counted: 1, rejected: 1 })
  // A member must not learn which of the operator's errors contain a text.
  expect(await searched(own, "engine", userIn({ a: "owner" }))).toEqual(one())
  expect(await searched(own, "engine", userIn({ b: "viewer" }))).toEqual(one(5))
})

test("a search can be combined with filters and sorting", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    { request: idAt(1), at: AT + 1, model: "m/one", cost: 5n, labels: { user: "m" } },
    { request: idAt(2), at: AT + 2, model: "m/two", cost: 9n },
    { request: idAt(3), at: AT + 3, model: "other", labels: { user: "mia" }, account: "b" },
  )
  const requests = new Requests(own.sources)
  const ids = async (query: Readonly<Record<string, string>>) =>
    (await requests.list(OPERATOR, requestQuery.parse(query))).data.map(
      ({ at }) => Date.parse(at) - AT,
    )
  expect(await ids({ search: "m" })).toEqual([3, 2, 1])
  expect(await ids({ search: "m", sort: "most_expensive" })).toEqual([3, 2, 1])
  expect(await ids({ search: "m", account: "a", sort: "most_expensive" })).toEqual([2, 1])
  expect(await ids({ search: "m", model: "m/one" })).toEqual([1])
  expect(await ids({ search: "m/", user: "m" })).toEqual([1])
  expect(await ids({ search: "m/", min_cost: "0.000000006" })).toEqual([2])
  const first = await requests.list(OPERATOR, requestQuery.parse({ search: "m", limit: "2" }))
  expect(first.data).toHaveLength(2)
  expect(await ids({ search: "m", limit: "2", cursor: first.next_cursor ?? "" })).toEqual([1])
})

test("error messages are searched in steps if there are many matches", async () => {
  await using own = await ReportedDatabase.open()
  const delays = Array.from({ length: 1_005 }, (_, index) => index)
  await own.add(
    { request: idAt(1), at: AT + 1, outcomes: ["upstream_error"] },
    { request: idAt(1_004), at: AT + 1_004, outcomes: ["upstream_error"] },
  )
  await own.failures.add(
    [],
    delays.map((delay) => failedAttempt(delay)),
  )
  const requests = new Requests(own.sources)
  const first = await requests.list(OPERATOR, requestQuery.parse({ search: "no such" }))
  expect(first).toMatchObject({ searched_from: new Date(AT + 5).toISOString() })
  expect(first.data.map(({ id }) => id)).toEqual([idAt(1_004)])
  const cursor = first.next_cursor ?? ""
  const second = await requests.list(OPERATOR, requestQuery.parse({ search: "no such", cursor }))
  expect(second).toMatchObject({ searched_from: null, next_cursor: null })
  expect(second.data.map(({ id }) => id)).toEqual([idAt(1)])
})

test("the list of all requests includes rejected requests, in chronological order and page by page", async () => {
  await using own = await ReportedDatabase.open()
  const requests = new Requests(own.sources)
  const { reports, failures: log } = own
  const failures = new Failures({ log, reports, requests })
  const all = new AllRequests(requests, failures)
  const list = (query: Readonly<Record<string, string>> = {}, actor = OPERATOR) =>
    all.list(actor, listedRequestQuery.parse(query))
  const delaysOf = ({ data }: Awaited<ReturnType<typeof list>>) =>
    data.map(({ id, admitted, rejected }) => {
      expect((admitted ?? rejected)?.id).toBe(id)
      return admitted === null ? -delayOf(id) : delayOf(id)
    })
  const delays = Array.from({ length: 12 }, (_, index) => index + 1)
  const admitted = delays.filter((delay) => delay % 3 !== 0)
  await own.add(...admitted.map((delay) => ({ request: idAt(delay), at: AT + delay })))
  const rejected = delays.filter((delay) => delay % 3 === 0)
  await own.failures.add(
    [
      ...rejected.map((delay) => failedRequest(delay)),
      failedRequest(1, { kind: "upstream_error" }),
      failedRequest(20, { account: null, key: null }),
    ],
    [],
  )
  const newest = [-20, -12, 11, 10, -9, 8, 7, -6, 5, 4, -3, 2, 1]
  expect(delaysOf(await list())).toEqual(newest)
  for (const limit of ["1", "2", "5"]) {
    const seen: number[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ limit, ...(cursor !== undefined && { cursor }) })
      expect(page.data.length).toBeLessThanOrEqual(Number(limit))
      seen.push(...delaysOf(page))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(newest)
  }
  expect(delaysOf(await list({}, userIn({ a: "viewer" })))).toEqual(newest.slice(1))
  expect(delaysOf(await list({}, userIn({ b: "viewer" })))).toEqual([])
  expect(delaysOf(await list({ status: "rejected", limit: "2" }))).toEqual([-20, -12])
  expect(delaysOf(await list({ status: "ok", limit: "2" }))).toEqual([11, 10])
  expect(delaysOf(await list({ sort: "most_expensive", limit: "2" }))).toEqual([11, 10])
  expect(delaysOf(await list({ min_cost: "0", limit: "2" }))).toEqual([11, 10])
  expect(delaysOf(await list({ search: "exist", limit: "2" }))).toEqual([-20, -12])
  expect(await kindOf(list({ cursor: "garbage" }))).toBe("invalid_value")
})

test("rejected requests are searched in steps if there are very many", async () => {
  await using own = await ReportedDatabase.open()
  const delays = [1, 2, 3, 4, 5, 6, 7]
  await own.add({ request: idAt(10), at: AT + 10, model: "exist" })
  await own.failures.add(
    delays.map((delay) => failedRequest(delay, delay % 6 === 1 ? {} : { message: "No." })),
    [],
  )
  // As on PostgreSQL, a search reads only some of the requests: here, three.
  const log: FailureLog = {
    ...own.failures,
    searchReach: async ({ accounts, from, to }, after) =>
      (await own.failures.list({ accounts, from, to }, after, 4))[3]?.at ?? null,
  }
  const requests = new Requests(own.sources)
  const failures = new Failures({ log, reports: own.reports, requests })
  const all = new AllRequests(requests, failures)
  const pagesOf = async (list: (query: Query) => Promise<ListedPage>) => {
    const pages: (readonly [number[], number | null])[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ search: "exist", limit: "2", ...(cursor && { cursor }) })
      const { searched_from: from } = page
      const since = from === null ? null : Date.parse(from) - AT
      pages.push([page.data.map(({ id }) => delayOf(id)), since])
      cursor = page.next_cursor
    }
    return pages
  }
  expect(await pagesOf((query) => failures.list(OPERATOR, failureQuery.parse(query)))).toEqual([
    [[7], 4],
    [[1], null],
  ])
  expect(await pagesOf((query) => all.list(OPERATOR, listedRequestQuery.parse(query)))).toEqual([
    [[10, 7], 4],
    [[1], null],
  ])
  const found = await failures.list(OPERATOR, failureQuery.parse({ search: idAt(1) }))
  expect(found).toMatchObject({ data: [{ id: idAt(1) }], next_cursor: null, searched_from: null })
  const span = { from: new Date(AT).toISOString(), to: new Date(AT + HOUR).toISOString() }
  const query = requestCountQuery.parse({ ...span, search: "exist", step: "hour" })
  const chart = await new RequestCountReports(own.reports, log).report(OPERATOR, query)
  expect(chart).toMatchObject({
    data: [{ answered: 1, rejected: 1 }],
    searched_from: new Date(AT + 4).toISOString(),
  })
})

test("an exported file of all requests includes rejected requests, in the order of the list", async () => {
  await using own = await ReportedDatabase.open()
  const requests = new Requests(own.sources)
  const failures = new Failures({ log: own.failures, reports: own.reports, requests })
  const all = new AllRequests(requests, failures)
  // The file is read in several pages.
  const delays = Array.from({ length: 1_100 }, (_, index) => index + 1)
  const admitted = delays.filter((delay) => delay % 2 === 0)
  const rejected = delays.filter((delay) => delay % 2 !== 0)
  await own.add(...admitted.map((delay) => ({ request: idAt(delay), at: AT + delay })))
  await own.failures.add(
    rejected.map((delay) => failedRequest(delay, { message: "=SUM(1) of nothing" })),
    [],
  )
  const linesOf = async (query: Readonly<Record<string, string>> = {}, actor = OPERATOR) => {
    const parsed = requestListTableQuery.parse(query)
    const { chunks } = await openAllRequestsTable(all, actor, parsed)
    return (await Array.fromAsync(chunks)).join("").split("\r\n").slice(0, -1)
  }
  const [head = "", ...rows] = await linesOf()
  const columns = head.split(",")
  expect(rows.map((row) => delayOf(row.split(",")[0] ?? ""))).toEqual(delays.toReversed())
  const valueOf = (row: string | undefined, column: string) =>
    row?.split(",")[columns.indexOf(column)]
  const [newest, oldest] = [rows[0], rows.at(-1)]
  expect(["status", "outcome", "error"].map((column) => valueOf(newest, column))).toEqual([
    "settled",
    "ok",
    "",
  ])
  expect(["status", "outcome", "cost", "error"].map((column) => valueOf(oldest, column))).toEqual([
    "rejected",
    failedRequest(1).kind,
    "",
    "'=SUM(1) of nothing",
  ])
  expect(await linesOf({ status: "rejected" })).toHaveLength(1 + rejected.length)
  expect(await linesOf({ status: "ok" })).toHaveLength(1 + admitted.length)
  expect(await linesOf({ sort: "most_expensive" })).toHaveLength(1 + admitted.length)
  expect(await linesOf({}, userIn({ b: "viewer" }))).toHaveLength(1)
  const hidden = { ...userIn({ a: "viewer" }), hidesCosts: true }
  expect((await linesOf({}, hidden))[0]?.split(",")).toEqual(
    columns.filter((column) => column !== "provider" && column !== "written_off"),
  )
})

/** Returns the time between `AT` and the start of a request. */
function delayOf(id: string): number {
  return (startOf(id) ?? NaN) - AT
}

test("the list of failures is searched by message, model and the name of the key", async () => {
  await using own = await ReportedDatabase.open()
  await own.database.key("laptop", "a", null)
  await own.failures.add(
    [failedRequest(1, { key: "laptop" }), failedRequest(2, { model: "Gpt" })],
    [],
  )
  const { reports, failures: log } = own
  const failures = new Failures({ log, reports, requests: new Requests(own.sources) })
  const found = async (search: string) =>
    (await failures.list(OPERATOR, failureQuery.parse({ search }))).data.map(({ id }) => id)
  expect(await found("LAP")).toEqual([idAt(1)])
  expect(await found("gpt")).toEqual([idAt(2)])
  expect(await found("not exist")).toEqual([idAt(2), idAt(1)])
})
