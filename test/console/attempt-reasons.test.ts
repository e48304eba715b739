import { expect, test } from "bun:test"
import { reasonsOf } from "../../console/src/pages/requests/attempt-reasons.ts"

const attempt = (deployment: string, outcome: string) => ({
  deployment,
  outcome,
  status: 500,
  duration: 1,
})
const failed = (
  deployment: string,
  outcome: string,
  message: string,
  code: string | null = null,
) => ({
  at: "2026-11-24T00:00:00.000Z",
  deployment,
  outcome,
  status: 500,
  code,
  message,
})

test("each attempt on a receipt is shown with its own reason, if it has one", () => {
  const attempts = [
    attempt("a/x", "upstream_error"),
    attempt("b/x", "upstream_timeout"),
    attempt("a/x", "upstream_error"),
    attempt("c/x", "ok"),
  ]
  const failures = [
    failed("a/x", "upstream_error", "first", "quota"),
    failed("a/x", "upstream_error", "second"),
  ]
  expect(reasonsOf(attempts, failures)).toEqual(["quota: first", undefined, "second", undefined])
  expect(reasonsOf(attempts, [])).toEqual([undefined, undefined, undefined, undefined])
})
