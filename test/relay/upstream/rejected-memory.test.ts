import { expect, test } from "bun:test"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { collectResponse } from "../../../src/relay/upstream/collect-response.ts"
import { responseOf } from "../../laws/attempt-world.ts"

const MEGABYTE = 1024 * 1024
const PIECE = Buffer.from("x".repeat(MEGABYTE))

test("the memory of a rejected response is released before the rest of the response is read", async () => {
  const budget = new MemoryBudget(64 * MEGABYTE)
  const holder = { id: "key", account: "account" }
  using other = budget.open(holder)
  other.takeResponse(20 * MEGABYTE)
  using memory = budget.open(holder)
  const held: number[] = []
  const pieces = [
    Buffer.from('{"text":"'),
    ...Array.from({ length: 10 }, () => PIECE),
    Buffer.from('","usage":{"prompt_tokens":1}}'),
  ]
  const response = responseOf("application/json", () => {
    held.push(memory.held)
    return pieces.shift()
  })
  const reader = {
    provider: "vendor",
    responseBytes: 64 * MEGABYTE,
    memory,
    usageMembers: undefined,
    received: () => undefined,
  }
  const failure: unknown = await collectResponse(response, reader, true).catch((error) => error)
  expect(failure).toMatchObject({ kind: "overloaded", details: { billedResponse: {} } })
  expect(reader.usageMembers).toMatchObject({ usage: { prompt_tokens: 1 } })
  expect(Math.max(...held)).toBeGreaterThan(MEGABYTE)
  expect(held.at(-1)).toBe(0)
  // Another response of the same key fits while the rest of the rejected one is read.
  expect(budget.held).toBe(20 * MEGABYTE)
})
