import { expect, test } from "bun:test"
import { requestCountQuery, requestCounts } from "tollgate-contract/usage.ts"
import { RequestCountReports } from "../../src/management/request-counts.ts"
import type { FailureLog } from "../../src/store/failure-log.ts"
import { ReportedDatabase } from "../store/reported-requests.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const HOUR = 3_600_000
const AT = Date.UTC(2026, 2, 2, 10)
const SPAN = { from: new Date(AT).toISOString(), to: new Date(AT + 2 * HOUR).toISOString() }

test("each request counts as answered, failed or rejected, in totals and in lists", async () => {
  await using own = await ReportedDatabase.open()
  await own.add(
    { request: "req_1", at: AT + 1 },
    { request: "req_2", at: AT + 2, outcomes: ["upstream_error"] },
    { request: "req_3", at: AT + HOUR, account: "b" },
  )
  const log: Pick<FailureLog, "count"> = {
    count: async ({ without = [] }, step) =>
      step === HOUR && without.includes("upstream_error") ? [{ at: AT + HOUR, count: 4 }] : [],
  }
  const reports = new RequestCountReports(own.reports, log as FailureLog)
  const count = async (actor = OPERATOR, filter = {}) => {
    const query = requestCountQuery.parse({ ...SPAN, step: "hour", ...filter })
    const { data } = requestCounts.parse(await reports.report(actor, query))
    return data.map(({ at, ...counts }) => [Date.parse(at) - AT, ...Object.values(counts)])
  }
  const whole = [
    [0, 1, 1, 0],
    [HOUR, 1, 0, 4],
  ]
  expect(await count()).toEqual(whole)
  expect(await count(OPERATOR, { model: "s*" })).toEqual(whole)
  expect(await count(OPERATOR, { min_cost: "0" })).toEqual([
    [0, 1, 1, 0],
    [HOUR, 1, 0, 0],
  ])
  expect(await count(OPERATOR, { status: "failed" })).toEqual([
    [0, 0, 1, 0],
    [HOUR, 0, 0, 0],
  ])
  expect((await count(userIn({ a: "viewer" })))[0]).toEqual([0, 1, 1, 0])
  expect(await kindOf(count(userIn({ a: "owner" }), { account: "b" }))).toBe("not_found")
  const long = { from: "2020-01-01T00:00:00Z" }
  expect(await kindOf(count(OPERATOR, long))).toBe("invalid_value")
})
