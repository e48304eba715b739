import { expect, jest, test } from "bun:test"
import { heldResponse } from "../../src/http/held-response.ts"
import { fromStored } from "../../src/http/idempotency/responses.ts"
import type { StoredResponse } from "../../src/http/idempotency/stored-response.ts"
import { MemoryBudget } from "../../src/limits/memory-budget.ts"

const MEGABYTE = 1024 * 1024
const HOLDER = { id: "key", account: "account" }
const BODY = "a".repeat(300_000)

const connection = { waitShort() {} }

function stored(length: number): StoredResponse {
  const chunks = [Buffer.alloc(length, "a")]
  return {
    head: { status: 200, headers: {} },
    length,
    ending: "whole",
    next: async () => chunks.shift(),
    async [Symbol.asyncDispose]() {},
  } as unknown as StoredResponse
}

test("a response of more than 64 KB reserves memory until the client has read it", async () => {
  const budget = new MemoryBudget(16 * MEGABYTE)
  const memory = budget.open(HOLDER)
  memory.takeResponse(MEGABYTE)
  const response = heldResponse({ headers: {}, body: BODY }, memory, connection)
  expect(budget.held).toBe(MEGABYTE)
  expect(await response.text()).toBe(BODY)
  expect(budget.held).toBe(0)
})

test("a response releases its memory if its client stops reading", async () => {
  jest.useFakeTimers()
  try {
    const budget = new MemoryBudget(16 * MEGABYTE)
    const memory = budget.open(HOLDER)
    memory.takeResponse(10 * MEGABYTE)
    const response = heldResponse({ headers: {}, body: BODY }, memory, connection)
    const reader = response.body?.getReader()
    await reader?.read()
    expect(budget.held).toBe(10 * MEGABYTE)
    jest.advanceTimersByTime(61_000)
    expect(budget.held).toBe(0)
    await expect(reader?.read()).rejects.toBeUndefined()
  } finally {
    jest.useRealTimers()
  }
})

test("a replayed response of more than 64 KB reserves memory until the client has read it", async () => {
  const budget = new MemoryBudget(4 * MEGABYTE)
  using memory = budget.open(HOLDER)
  const unread = await fromStored(stored(MEGABYTE), { memory })
  expect(budget.held).toBe(MEGABYTE / 2)
  const others = await Promise.allSettled(
    Array.from({ length: 20 }, () => fromStored(stored(MEGABYTE), { memory })),
  )
  const rejected = others.flatMap((each) => (each.status === "rejected" ? [each.reason] : []))
  expect(rejected.length).toBeGreaterThan(10)
  expect(rejected[0]).toMatchObject({ kind: "overloaded" })
  await Promise.all(others.map((each) => each.status === "fulfilled" && each.value.text()))
  expect(await unread.text()).toHaveLength(MEGABYTE)
  expect(budget.held).toBe(0)
})

test("a short replayed response reserves no memory", async () => {
  const budget = new MemoryBudget(4 * MEGABYTE)
  using memory = budget.open(HOLDER)
  const response = await fromStored(stored(60_000), { memory })
  expect(budget.held).toBe(0)
  expect(await response.text()).toHaveLength(60_000)
})
