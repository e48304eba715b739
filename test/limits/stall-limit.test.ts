import { expect, test } from "bun:test"
import { StallLimit } from "../../src/limits/stall-limit.ts"
import { until } from "../support/until.ts"

/** Starts a limit. `long` is far longer than this test takes. */
function start(memory: { isShort: boolean }, long = 1_000_000) {
  const startedAt = performance.now()
  let after: number | undefined
  const end = () => {
    after = performance.now() - startedAt
  }
  const limit = new StallLimit(memory, end, { shortMs: 20, longMs: long })
  limit.restart()
  return { limit, after: () => after }
}

test("a caller that does not read is disconnected early only while memory is short", async () => {
  const memory = { isShort: false }
  const slow = start(memory)
  const short = start({ isShort: true })
  await until(() => short.after() !== undefined)
  expect(slow.after()).toBeUndefined()
  memory.isShort = true
  await until(() => slow.after() !== undefined)
})

test("a caller that does not read is disconnected after the maximum time", async () => {
  const slow = start({ isShort: false }, 100)
  await until(() => slow.after() !== undefined)
  expect(slow.after()).toBeGreaterThanOrEqual(100)
})

test("a caller that has read the response is not disconnected", async () => {
  const { limit, after } = start({ isShort: true })
  limit[Symbol.dispose]()
  const other = start({ isShort: true })
  await until(() => other.after() !== undefined)
  expect(after()).toBeUndefined()
})
