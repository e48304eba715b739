import { expect, test } from "bun:test"
import { requestPage, requestQuery, requestTableQuery } from "tollgate-contract/receipts.ts"
import { openRequestTable } from "../../src/management/request-table.ts"
import { Requests } from "../../src/management/requests.ts"
import { WriteOffs } from "../../src/management/write-offs.ts"
import { ReportedDatabase } from "../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"
import { until } from "../support/until.ts"

const AT = Date.UTC(2026, 2, 2, 10, 30)

function query(filter: Readonly<Record<string, string>> = {}) {
  return requestQuery.parse(filter)
}

test("a listed request has the format of the API", async () => {
  await using own = await ReportedDatabase.open()
  await own.add({ request: "req_1", at: AT, cost: 1_500n, outcomes: ["upstream_error"] })
  const requests = new Requests(own.sources)
  const page = await requests.list(userIn({ a: "viewer" }), query())
  expect(requestPage.parse(page)).toEqual({
    object: "list",
    data: [
      {
        id: "req_1",
        account: "a",
        key: "key_a",
        key_name: "key_a",
        endpoint: "/v1/chat/completions",
        model: "sim/echo",
        provider: "sim",
        status: "settled",
        outcome: "upstream_error",
        stream: false,
        estimated: false,
        at: "2026-03-02T10:30:00.000Z",
        duration_ms: 100,
        first_byte_ms: 20,
        input: 10,
        output: 5,
        cost: "0.0000015",
      },
    ],
    next_cursor: null,
    searched_from: null,
  })
})

test("operators see written-off amounts, and other users see only that an amount was written off", async () => {
  await using own = await ReportedDatabase.open()
  const writtenOff = [{ amount: 2_000_000_000n, reason: "usage_beyond_bound" }] as const
  await own.add({ request: "req_1", at: AT, cost: 575_000n, writtenOff })
  const requests = new Requests(own.sources)
  const charged = { outcome: "written_off", cost: "0.000575" }
  const [owned] = (await requests.list(userIn({ a: "owner" }), query())).data
  expect(owned).toMatchObject(charged)
  expect(owned).not.toHaveProperty("written_off")
  const listed = await requests.list(OPERATOR, query({ status: "written_off" }))
  expect(listed.data).toMatchObject([{ ...charged, written_off: "2" }])
  expect(await requests.receipt(OPERATOR, "req_1")).toMatchObject({
    charged: "0.000575",
    written_off: "2",
    write_offs: [{ amount: "2", reason: "usage_beyond_bound" }],
    late: false,
  })
  const list = new WriteOffs(own.database.store)
  const whole = { limit: 1, account: "a" }
  expect(await list.list(OPERATOR, whole)).toMatchObject({
    data: [{ number: 1, request: "req_1", amount: "2", reason: "usage_beyond_bound" }],
    next_cursor: null,
  })
  expect(await kindOf(list.list(userIn({ a: "owner" }), whole))).toBe("forbidden")
})

test("members see the requests of their accounts, and operators see all requests", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    { request: "req_1", at: AT },
    { request: "req_2", at: AT + 1, account: "b" },
    { request: "req_3", at: AT + 2 },
  )
  const requests = new Requests(own.sources)
  const seen = async (actor = OPERATOR, filter = {}) =>
    (await requests.list(actor, query(filter))).data.map(({ id }) => id)
  const viewer = userIn({ a: "viewer" })
  expect(await seen()).toEqual(["req_3", "req_2", "req_1"])
  expect(await seen(OPERATOR, { account: "b" })).toEqual(["req_2"])
  expect(await seen(viewer)).toEqual(["req_3", "req_1"])
  expect(await seen(viewer, { key: "key_b" })).toEqual([])
  expect(await seen(viewer, { search: "req_2" })).toEqual([])
  expect(await seen(userIn({ a: "owner", b: "viewer" }))).toEqual(["req_3", "req_2", "req_1"])
  expect(await seen(userIn({}))).toEqual([])
  expect(await kindOf(requests.list(viewer, query({ account: "b" })))).toBe("not_found")
})

test("filters of the request list apply to each page", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    { request: "req_1", at: AT },
    { request: "req_2", at: AT + 1, outcomes: ["upstream_error"] },
    { request: "req_3", at: AT + 2 },
  )
  const requests = new Requests(own.sources)
  const seen = async (filter: Readonly<Record<string, string>>) =>
    (await requests.list(OPERATOR, query(filter))).data.map(({ id }) => id)
  expect(await seen({ status: "ok" })).toEqual(["req_3", "req_1"])
  expect(await seen({ status: "failed" })).toEqual(["req_2"])
  const to = new Date(AT + 2).toISOString()
  expect(await seen({ from: new Date(AT + 1).toISOString(), to })).toEqual(["req_2"])
  const first = await requests.list(OPERATOR, query({ limit: "2" }))
  expect(first.data.map(({ id }) => id)).toEqual(["req_3", "req_2"])
  const cursor = first.next_cursor ?? ""
  expect(await seen({ limit: "2", cursor })).toEqual(["req_1"])
  expect(await kindOf(requests.list(OPERATOR, query({ cursor: "garbage" })))).toBe("invalid_value")
})

test("requests sorted by cost or duration have stable pages while new requests arrive", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    { request: "req_1", at: AT, cost: 5n, duration: 900 },
    { request: "req_2", at: AT + 1, cost: 9n, duration: 10 },
    { request: "req_3", at: AT + 2, cost: 5n, duration: 400 },
    { request: "req_4", at: AT + 3, cost: 0n, duration: 400, account: "b" },
  )
  const requests = new Requests(own.sources)
  const page = (filter: Readonly<Record<string, string>>) => requests.list(OPERATOR, query(filter))
  const ids = async (filter: Readonly<Record<string, string>>) =>
    (await page(filter)).data.map(({ id }) => id)
  expect(await ids({ sort: "slowest" })).toEqual(["req_1", "req_4", "req_3", "req_2"])
  const first = await page({ sort: "most_expensive", limit: "2" })
  expect(first.data.map(({ id }) => id)).toEqual(["req_2", "req_3"])
  await own.add(
    { request: "req_5", at: AT + 4, cost: 7n },
    { request: "req_6", at: AT + 5, cost: 1n },
  )
  const cursor = first.next_cursor ?? ""
  expect(await ids({ sort: "most_expensive", cursor })).toEqual(["req_1", "req_6", "req_4"])
  for (const sort of ["newest", "slowest"]) {
    expect(await kindOf(page({ sort, cursor }))).toBe("invalid_value")
  }
  expect(await ids({ min_cost: "0.000000005", max_cost: "0.000000007" })).toEqual([
    "req_5",
    "req_3",
    "req_1",
  ])
  expect(await ids({ min_duration_ms: "400", account: "a" })).toEqual(["req_3", "req_1"])
})

test("a request list for spreadsheets contains no formulas that callers have sent", async () => {
  await using own = await ReportedDatabase.open()
  const labels = { user: "=HYPERLINK(1)", session: "a,b", tags: { team: '"blue"' } }
  await own.add(
    { request: "req_1", at: AT, cost: 5n, labels },
    { request: "req_2", at: AT + 1, cost: 9n },
    { request: "req_3", at: AT + 2, cost: 1n, account: "b" },
  )
  const requests = new Requests(own.sources)
  const textOf = async (actor = OPERATOR, filter = {}) => {
    const { chunks } = await openRequestTable(requests, actor, requestTableQuery.parse(filter))
    return (await Array.fromAsync(chunks)).join("").split("\r\n")
  }
  const lines = await textOf(userIn({ a: "viewer" }), { sort: "most_expensive" })
  expect(lines.map((line) => line.split(",")[0])).toEqual(["id", "req_2", "req_1", ""])
  expect(lines[0]).not.toContain("written_off")
  expect(lines[2]).toEndWith(`,0.000000005,'=HYPERLINK(1),"a,b","team=""blue"""`)
  expect(await textOf(OPERATOR, { account: "b" })).toHaveLength(3)
  const foreign = openRequestTable(requests, userIn({ a: "owner" }), {
    sort: "newest",
    account: "b",
  })
  expect(await kindOf(foreign)).toBe("not_found")
})

test("cost and time filters of the request list must be valid amounts", () => {
  for (const wrong of [{ min_cost: "-1" }, { max_cost: "1,5" }, { min_duration_ms: "x" }]) {
    expect(requestQuery.safeParse(wrong).success).toBe(false)
  }
})

test("a request list without an index is read in limited steps, each of which continues after the last one", async () => {
  await using own = await ReportedDatabase.open()
  const all = Array.from({ length: 30_002 }, (_, index) => ({
    request: `r${index}`,
    at: AT + index,
  }))
  await own.add({ request: "expensive", at: AT - 1, cost: 99n }, ...all)
  const requests = new Requests(own.sources)
  const page = (filter: Readonly<Record<string, string>>) => requests.list(OPERATOR, query(filter))
  // On a busy machine, a response may arrive before the index contains all requests.
  await until(async () => (await page({ sort: "newest" })).data[0]?.id === "r30001")
  const mostExpensive = await page({ sort: "most_expensive" })
  expect(mostExpensive).toMatchObject({ searched_from: new Date(AT + 1).toISOString() })
  expect(mostExpensive.data[0]).toMatchObject({ id: "r30001" })
  const early = await page({ sort: "most_expensive", to: new Date(AT + 9).toISOString() })
  expect(early).toMatchObject({ searched_from: null, next_cursor: null })
  expect(early.data[0]).toMatchObject({ id: "expensive" })
  const late = await page({ min_cost: "0.000000099" })
  expect(late).toMatchObject({ data: [], searched_from: new Date(AT + 1).toISOString() })
  const rest = await page({ min_cost: "0.000000099", cursor: late.next_cursor ?? "" })
  expect(rest.data.map(({ id }) => id)).toEqual(["expensive"])
  expect(rest).toMatchObject({ next_cursor: null, searched_from: null })
})

test("a receipt is visible only to members of its account and to operators", async () => {
  await using own = await ReportedDatabase.open()
  await own.add({ request: "req_1", at: AT, cost: 7n })
  const requests = new Requests(own.sources)
  const charged = { id: "req_1", charged: "0.000000007", content: null }
  expect(await requests.receipt(userIn({ a: "viewer" }), "req_1")).toMatchObject(charged)
  expect(await requests.receipt(OPERATOR, "req_1")).toMatchObject(charged)
  expect(await kindOf(requests.receipt(userIn({ b: "owner" }), "req_1"))).toBe("not_found")
  expect(await kindOf(requests.receipt(OPERATOR, "req_2"))).toBe("not_found")
})
