import { expect, test } from "bun:test"
import { answerOf } from "../../../src/http/admin/answer.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"

const MEGABYTE = 1024 * 1024

test("a long response takes memory, and is rejected if its person holds too much", () => {
  const budget = new MemoryBudget(8 * MEGABYTE)
  const open = () => budget.open({ id: "user 1", account: "user 1" })
  const long = { text: "a".repeat(MEGABYTE) }
  expect(answerOf("req_1", long, open())).toMatchObject({
    headers: { "cache-control": "no-store", "x-request-id": "req_1" },
    body: JSON.stringify(long),
  })
  expect(budget.held).toBeGreaterThan(2 * MEGABYTE)
  expect(() => answerOf("req_2", long, open())).toThrow("hold the memory that this answer needs")
})

test("a short response takes no memory", async () => {
  const budget = new MemoryBudget(8 * MEGABYTE)
  const response = answerOf("req_1", { text: "a" }, budget.open({ id: "a", account: "a" }))
  expect(budget.held).toBe(0)
  expect(response).toBeInstanceOf(Response)
})
