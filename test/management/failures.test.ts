import { expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { Failures } from "../../src/management/failures.ts"
import type { Requests } from "../../src/management/requests.ts"
import type { FailedAttempt, FailureLog } from "../../src/store/failure-log.ts"
import { kindOf, OPERATOR, userIn } from "./actors.ts"

const FACTS = { request: "req_1", at: 1, deployment: "p/m", status: 400, code: "bad" }
const ATTEMPTS: readonly FailedAttempt[] = [
  { ...FACTS, kind: "rejected_by_upstream", message: "the field 'x' is unknown" },
  { ...FACTS, kind: "upstream_error", message: "organization org-7 is over its quota" },
]

/** Returns the failures of one request of account `a` that held no credits. */
function failures(): Failures {
  const failure = {
    request: "req_1",
    at: 1,
    endpoint: "/v1/messages",
    kind: "rejected_by_upstream",
    status: 400,
    parameter: null,
    message: "no",
    account: "a",
    key: "k",
    model: "m",
  }
  const log: Pick<FailureLog, "find" | "attempts"> = {
    find: async () => failure,
    attempts: async () => [...ATTEMPTS],
  }
  const requests: Pick<Requests, "receipt"> = {
    receipt: async () => {
      throw new GatewayError("not_found", "There is none.")
    },
  }
  return new Failures({
    log: log as FailureLog,
    reports: { isBehind: false, upToDate: () => Promise.reject(new Error("no list is read")) },
    requests: requests as Requests,
  })
}

test("members see a vendor's message about their request, but no message about the operator", async () => {
  const told = await failures().request(userIn({ a: "viewer" }), "req_1")
  expect(told.attempts.map(({ message, code }) => [message, code])).toEqual([
    ["the field 'x' is unknown", "bad"],
    [null, null],
  ])
  const operator = await failures().request(OPERATOR, "req_1")
  expect(operator.attempts[1]?.message).toContain("org-7")
  expect(await kindOf(failures().request(userIn({ b: "owner" }), "req_1"))).toBe("not_found")
})
