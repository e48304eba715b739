import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { RateLimiter } from "../../src/limits/rate-limiter.ts"

const MINUTE = 60_000

interface Passed {
  readonly at: number
  readonly units: number
}

/** Returns the maximum number of requests that passed in any minute. */
function busiestMinute(passed: readonly Passed[]): number {
  let max = 0
  for (const { at: from } of passed) {
    const inMinute = passed.filter(({ at }) => at >= from && at < from + MINUTE)
    max = Math.max(
      max,
      inMinute.reduce((sum, { units }) => sum + units, 0),
    )
  }
  return max
}

function isLetThrough(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch {
    return false
  }
}

const gap = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 3_000 }),
  fc.double({ min: 0, max: 70_000, noNaN: true }),
)

describe("the rate limiter under any load", () => {
  test("admits no more requests per minute than the limit and one burst", () => {
    const limit = fc.integer({ min: 1, max: 40 })
    fc.assert(
      fc.property(limit, fc.array(gap, { maxLength: 150 }), (requestsPerMinute, gaps) => {
        let now = 0
        const limiter = new RateLimiter(() => now)
        const passed: Passed[] = []
        for (const wait of gaps) {
          now += wait
          if (isLetThrough(() => limiter.check("key", { requestsPerMinute, tokens: 0 }))) {
            passed.push({ at: now, units: 1 })
          }
        }
        expect(busiestMinute(passed)).toBeLessThanOrEqual(2 * requestsPerMinute)
      }),
    )
  })

  test("admits no more requests to several processes together than to a single process", () => {
    const processes = fc.integer({ min: 1, max: 6 })
    const step = fc.record({ wait: gap, process: fc.nat() })
    fc.assert(
      fc.property(
        processes,
        fc.integer({ min: 1, max: 10 }),
        fc.array(step, { maxLength: 150 }),
        (count, share, steps) => {
          let now = 0
          const requestsPerMinute = count * share
          const limiters = Array.from({ length: count }, () => new RateLimiter(() => now))
          for (const limiter of limiters) limiter.setMachines(count)
          const passed: Passed[] = []
          for (const { wait, process } of steps) {
            now += wait
            const limiter = limiters[process % count]
            if (isLetThrough(() => limiter!.check("key", { requestsPerMinute, tokens: 0 }))) {
              passed.push({ at: now, units: 1 })
            }
          }
          expect(busiestMinute(passed)).toBeLessThanOrEqual(2 * requestsPerMinute)
        },
      ),
    )
  })

  test("keeps the limit while processes start and stop, with immediate notification", () => {
    const step = fc.record({
      wait: gap,
      process: fc.nat(),
      change: fc.integer({ min: -1, max: 12 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        let now = 0
        const requestsPerMinute = 24
        let limiters = [new RateLimiter(() => now)]
        const passed: Passed[] = []
        for (const { wait, process, change } of steps) {
          now += wait
          // The last limiter leaves permanently. The other limiters keep their state.
          if (change === -1 && limiters.length > 1) limiters = limiters.slice(0, -1)
          if (change === 0 && limiters.length < 4) {
            const joined = new RateLimiter(() => now)
            limiters = [...limiters, joined]
          }
          for (const limiter of limiters) limiter.setMachines(limiters.length)
          const limiter = limiters[process % limiters.length]
          if (isLetThrough(() => limiter!.check("key", { requestsPerMinute, tokens: 0 }))) {
            passed.push({ at: now, units: 1 })
          }
        }
        const joins = steps.filter(({ change }) => change === 0).length
        // A new process lacks the usage of the others, so it passes at most half a limit.
        expect(busiestMinute(passed)).toBeLessThanOrEqual((2 + joins / 2) * requestsPerMinute)
      }),
    )
  })

  test("delays later requests if usage exceeds an estimate, so that the limit holds over time", () => {
    const step = fc.record({
      tokens: fc.integer({ min: 1, max: 2_000 }),
      extra: fc.integer({ min: 0, max: 2_000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const tokensPerMinute = 1_000
        let now = 0
        let used = 0
        let last = 0
        const limiter = new RateLimiter(() => now)
        for (const { tokens, extra } of steps) {
          while (!isLetThrough(() => limiter.check("key", { tokensPerMinute, tokens }))) now += 500
          limiter.adjust("key", extra)
          last = tokens + extra
          used += last
        }
        // The usage of the last request is not included, because it only delays later requests.
        expect(used - last).toBeLessThanOrEqual(tokensPerMinute * (1 + now / MINUTE) + 1e-6)
      }),
    )
  })
})
