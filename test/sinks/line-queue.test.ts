import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { LineQueue } from "../../src/sinks/line-queue.ts"

const HOUR = 3_600_000

test("a log batch never contains lines of two different hours", () => {
  const queue = new LineQueue({ limit: 1_000, batch: 100 })
  queue.add("a", 10 * HOUR - 1)
  expect(queue.hasFullBatch).toBe(false)
  queue.add("b", 10 * HOUR)
  expect(queue.hasFullBatch).toBe(true)
  expect(queue.take()).toMatchObject({ since: 10 * HOUR - 1, lines: ["a"] })
  expect(queue.take()).toMatchObject({ since: 10 * HOUR, lines: ["b"] })
  expect(queue.take()).toBeUndefined()
})

test("a log batch that returns to the queue moves behind other batches, and gets no more lines", () => {
  const queue = new LineQueue({ limit: 1_000, batch: 100 })
  queue.add("a", HOUR)
  const first = queue.take()
  if (!first) throw new Error("nothing waits")
  queue.add("b", HOUR)
  queue.putBack(first)
  queue.add("c", HOUR)
  expect(queue.hasFullBatch).toBe(true)
  expect([queue.take(), queue.take(), queue.take()].map((batch) => batch?.lines)).toEqual([
    ["b"],
    ["a"],
    ["c"],
  ])
  queue.putBack(first)
  expect([queue.hasFullBatch, queue.count]).toEqual([true, 3])
  expect(queue.take()).toMatchObject({ id: first.id, since: first.since, size: 1 })
})

test("the log queue returns every added line once and in order, and stays within its limit", () => {
  const step = fc.oneof(
    fc.string({ maxLength: 30 }).map((line) => ({ line })),
    fc.constant("take" as const),
    fc.constant("done" as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new LineQueue({ limit: 100, batch: 20 })
      const added: string[] = []
      const taken: NonNullable<ReturnType<LineQueue["take"]>>[] = []
      const done: string[] = []
      for (const next of steps) {
        if (next === "take") {
          const batch = queue.take()
          if (batch) taken.push(batch)
        } else if (next === "done") {
          const batch = taken.shift()
          if (batch) {
            queue.done(batch)
            done.push(...batch.lines)
          }
        } else if (queue.add(next.line, 0)) added.push(next.line)
        const waiting = added.slice(done.length)
        expect(queue.count).toBe(waiting.length)
        expect(waiting.join("").length).toBeLessThanOrEqual(100)
      }
      for (let batch = queue.take(); batch; batch = queue.take()) taken.push(batch)
      expect([...done, ...taken.flatMap(({ lines }) => lines)]).toEqual(added)
    }),
  )
})
