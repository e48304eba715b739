import { expect, test } from "bun:test"
import { readChecks, rowOf } from "./outcomes.ts"

test("the outcome reader finds the results of a check file within the client's own output", () => {
  const output = 'a warning\ncheck {"name":"one","outcome":"passed"}\nmore\n'
  expect(readChecks(output)).toEqual([{ name: "one", outcome: "passed" }])
})

test("the outcome reader counts an unexpected failure with its reason", () => {
  const checks = [
    { name: "one", outcome: "passed" },
    { name: "two", outcome: "failed", reason: "because" },
  ] as const
  const row = rowOf("litellm", "1", checks)
  expect(row).toMatchObject({ passed: 1, failed: 1, skipped: 0, notes: ["FAILED two: because"] })
})

test("the outcome reader counts an expected failure as skipped, or as failed if the check passes", () => {
  const name = "sandbox/echo responses-streaming"
  const failed = rowOf("llmprobe", "1", [{ name, outcome: "failed", reason: "no [DONE]" }])
  expect(failed).toMatchObject({ passed: 0, failed: 0, skipped: 1 })
  expect(failed.notes[0]).toContain("response.completed")
  const passed = rowOf("llmprobe", "1", [{ name, outcome: "passed" }])
  expect(passed).toMatchObject({ passed: 0, failed: 1, skipped: 0 })
})
