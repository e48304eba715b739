import { expect, test } from "bun:test"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { HeldText } from "../../../src/relay/chat/held-text.ts"

const MEGABYTE = 1024 * 1024
const HOLDER = { id: "key", account: "account" }

test("text is held until the first content as long as the memory suffices", () => {
  const budget = new MemoryBudget(16 * MEGABYTE)
  using other = budget.open(HOLDER)
  other.takeResponse(6 * MEGABYTE)
  using memory = budget.open(HOLDER)
  {
    using held = new HeldText(memory)
    expect(held.takes("a".repeat(MEGABYTE))).toBe(true)
    expect(memory.held).toBe(MEGABYTE)
    expect(held.takes("a".repeat(5 * MEGABYTE))).toBe(false)
    expect(memory.held).toBe(MEGABYTE)
  }
  expect(memory.held).toBe(0)
  using alone = new HeldText(memory)
  expect(alone.takes("a".repeat(15 * MEGABYTE))).toBe(false)
})
