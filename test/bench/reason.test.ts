import { expect, test } from "bun:test"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reasonOf } from "../../bench/load/ask.ts"

test("a failure reason in the bench is one short line without local paths", () => {
  const file = join(tmpdir(), "tollgate-bench-x/config.yaml")
  const error = new Error(`gateway --config ${file} did not start:\n  no   port at /v1/chat\n`)
  const words = "gateway --config tollgate-bench-x/config.yaml did not start: no port at /v1/chat"
  expect(reasonOf(error)).toBe(words)
  expect(reasonOf(new Error("x".repeat(10_000)))).toHaveLength(300)
  expect(reasonOf("text")).toBe("text")
})
