import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { Schedule } from "../../bench/load/schedule.ts"

test("each scheduled request is due once, in order, and never before its time", () => {
  const steps = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { maxLength: 100 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), steps, (rate, waits) => {
      const schedule = new Schedule(rate, 1_000)
      const taken: number[] = []
      let elapsed = 0
      for (const wait of waits) {
        elapsed += wait
        const due = [...schedule.due(elapsed)]
        expect(due.every((planned) => planned <= elapsed)).toBe(true)
        taken.push(...due)
      }
      taken.push(...schedule.due(Number.POSITIVE_INFINITY))
      expect(schedule.isOver).toBe(true)
      expect(taken).toEqual(
        Array.from({ length: schedule.count }, (_, number) => schedule.plannedAt(number)),
      )
    }),
  )
})

test("a delayed load generator sends all missed requests with their due times", () => {
  const schedule = new Schedule(500, 20)
  expect(schedule.count).toBe(10)
  expect([...schedule.due(0)]).toEqual([0])
  expect([...schedule.due(7)]).toEqual([2, 4, 6])
  expect([...schedule.due(7)]).toEqual([])
  expect([...schedule.due(1_000)]).toEqual([8, 10, 12, 14, 16, 18])
})
