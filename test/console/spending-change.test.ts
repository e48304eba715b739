import { expect, test } from "bun:test"
import type { UsageChange, UsageChanges } from "tollgate-contract/usage.ts"
import { changeSentence } from "../../console/src/pages/usage/spending-change.ts"

const SPAN = {
  from: "2026-11-24T00:00:00.000Z",
  to: "2026-11-25T00:00:00.000Z",
  compared_from: "2026-11-23T00:00:00.000Z",
  compared_to: "2026-11-24T00:00:00.000Z",
}

function causeOf(kind: UsageChange["kind"], group: string, change: string): UsageChange {
  return {
    kind,
    group,
    cost: "0",
    requests: 1,
    compared_cost: "0",
    compared_requests: 1,
    change,
  }
}

function changesOf(before: string, change: string, data: readonly UsageChange[] = []) {
  return {
    object: "usage_changes",
    ...SPAN,
    cost: "0",
    requests: 1,
    compared_cost: before,
    compared_requests: 1,
    change,
    data: [...data],
  } satisfies UsageChanges
}

test("the sentence about a spending change names the largest cause of each kind", () => {
  const causes = [
    { ...causeOf("key", "key_1", "9.1"), name: "batch" },
    causeOf("key", "key_2", "8"),
    causeOf("model", "openai/gpt-5", "7.25"),
    causeOf("user", "ann", "3"),
    causeOf("tag", "team=blue", "2"),
  ]
  expect(changeSentence(changesOf("20", "12.4", causes))).toBe(
    "Spend rose by 12.40 credits (62%) compared with the previous period. Mainly responsible: key batch (+9.10), model openai/gpt-5 (+7.25), and end user ann (+3.00).",
  )
})

test("the sentence about a spending change describes a decrease, a first use and equal periods", () => {
  expect(changeSentence(changesOf("4", "-1", [causeOf("model", "m", "-1")]))).toBe(
    "Spend fell by 1.00 credits (25%) compared with the previous period. Mainly responsible: model m (−1.00).",
  )
  expect(changeSentence(changesOf("0", "2"))).toBe(
    "Spend rose by 2.00 credits compared with the previous period.",
  )
  expect(changeSentence(changesOf("2", "0"))).toBe(
    "Spend did not change compared with the previous period.",
  )
})
