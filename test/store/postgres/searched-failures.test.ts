import { SQL } from "bun"
import { expect, test } from "bun:test"
import { databaseAt } from "../../../src/store/installation-database.ts"
import { TestDatabases } from "../../support/postgres-databases.ts"

const databases = new TestDatabases()
const SEARCHED = 30_000

/** Returns the SQL for the id of a request with a number, so that ids increase with the number. */
function idOf(number: string): string {
  return `'req_' || lpad((${number})::text, 8, '0')`
}

test("a search reads at most 30,000 failures, and returns the position at which it stopped", async () => {
  const url = await databases.urlOf("searched failures")
  await using served = await databaseAt({
    engine: "postgresql",
    url,
    connections: 2,
  }).openToServe(false)
  await using sql = new SQL(url, { max: 1 })
  const add = (first: number, last: number, message: string) =>
    sql.unsafe(`INSERT INTO failed_attempts (request, at, deployment, status, kind, message)
      SELECT ${idOf("number")}, 1, 'sim/echo', 500, 'upstream_error', '${message}'
      FROM generate_series(${first}, ${last}) AS number`)
  await add(1, 1, "Out of LUCK")
  await add(2, SEARCHED, "No such model")
  const query = { text: "out of luck", kinds: ["upstream_error"] }
  const { failures } = served
  expect(await failures.search(query, 10)).toEqual({ requests: ["req_00000001"], unsearched: null })
  await add(SEARCHED + 1, SEARCHED + 1, "Out of luck")
  expect(await failures.search(query, 10)).toEqual({
    requests: ["req_00030001"],
    unsearched: "req_00000001",
  })
  const before = { ...query, before: "req_00000002" }
  expect(await failures.search(before, 10)).toEqual({
    requests: ["req_00000001"],
    unsearched: null,
  })
})

test("a search lists the rejected requests since the 30,001st newest one of the accounts", async () => {
  const url = await databases.urlOf("searched rejections")
  await using served = await databaseAt({
    engine: "postgresql",
    url,
    connections: 2,
  }).openToServe(false)
  await using sql = new SQL(url, { max: 1 })
  const add = (first: number, last: number, account: string) =>
    sql.unsafe(`INSERT INTO failed_requests (request, at, endpoint, status, kind, message, account)
      SELECT ${idOf("number")}, number, '/v1/messages', 404, 'model_not_found', 'No such model', '${account}'
      FROM generate_series(${first}, ${last}) AS number`)
  const { failures } = served
  const reach = (filter: { accounts?: string[]; from?: number }, after = null as number | null) =>
    failures.searchReach(filter, after === null ? null : { at: after, id: "" })
  await add(1, SEARCHED, "a")
  expect(await reach({})).toBeNull()
  await add(SEARCHED + 1, SEARCHED + 10, "b")
  expect(await reach({})).toBe(10)
  expect(await reach({}, 10)).toBeNull()
  expect(await reach({ accounts: ["a"] })).toBeNull()
  expect(await reach({ from: 11 })).toBeNull()
})
