import { expect, test } from "bun:test"
import {
  JOURNAL_RETRIES,
  nextPauseMs,
  type RetryPolicy,
  STATEMENT_RETRIES,
} from "../../src/store/retry-policy.ts"

function pauses(policy: RetryPolicy, count: number): number[] {
  const found = [policy.firstPauseMs]
  while (found.length < count) found.push(nextPauseMs(policy, found.at(-1) ?? 0))
  return found
}

test("retry intervals double up to the maximum", () => {
  expect(pauses(STATEMENT_RETRIES, 8)).toEqual([10, 20, 40, 80, 160, 320, 500, 500])
  expect(pauses(JOURNAL_RETRIES, 3)).toEqual([250, 250, 250])
})
