import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { GatewayError } from "../../src/canon/errors.ts"
import { defaultMemory } from "../../src/limits/machine-memory.ts"
import { MemoryBudget, MemoryShareUsed, type Reservation } from "../../src/limits/memory-budget.ts"

const MEGABYTE = 1024 * 1024

function kindOf(take: () => void): string {
  try {
    take()
    return "taken"
  } catch (error) {
    if (error instanceof GatewayError) return error.kind
    throw error
  }
}

function rejection(take: () => void): unknown {
  try {
    return take()
  } catch (error) {
    return error
  }
}

function of(budget: MemoryBudget, id: string, account = id): Reservation {
  return budget.open({ id, account })
}

function holding(budget: MemoryBudget, id: string, megabytes: number): Reservation {
  const reservation = of(budget, id)
  reservation.takeBody(megabytes * MEGABYTE)
  return reservation
}

describe("the memory budget of all requests", () => {
  test("gives one key only a part of the free memory, so that other keys can use the rest", () => {
    const budget = new MemoryBudget(256 * MEGABYTE)
    const greedy = Array.from({ length: 100 }, () => of(budget, "greedy"))
    const taken = greedy.filter((one) => kindOf(() => one.takeBody(8 * MEGABYTE)) === "taken")
    expect(taken.length * 8).toBe(96)
    expect(kindOf(() => of(budget, "other").takeBody(40 * MEGABYTE))).toBe("taken")
    expect(kindOf(() => of(budget, "third").takeBody(20 * MEGABYTE))).toBe("taken")
  })

  test("gives an account with many keys no more memory than other accounts", () => {
    const budget = new MemoryBudget(256 * MEGABYTE)
    for (let number = 0; number < 1_000; number++) {
      kindOf(() => of(budget, `key-${number}`, "greedy").takeBody(8 * MEGABYTE))
    }
    expect(budget.held).toBeLessThan((192 * 2 * MEGABYTE) / 3 + 1)
    expect(kindOf(() => of(budget, "other").takeBody(32 * MEGABYTE))).toBe("taken")
  })

  test("admits small requests while large requests fill their part, and has a separate part for responses", () => {
    const budget = new MemoryBudget(256 * MEGABYTE)
    for (let number = 0; number < 4_000; number++) {
      kindOf(() => of(budget, `key-${number}`).takeBody(2 * MEGABYTE))
    }
    expect(kindOf(() => of(budget, "new").takeBody(4 * MEGABYTE))).toBe("overloaded")
    expect(kindOf(() => of(budget, "new").takeBody(96 * 1024))).toBe("taken")
    expect(kindOf(() => of(budget, "newer").takeResponse(4 * MEGABYTE))).toBe("taken")
  })

  test("rejects a request above the limit as too large, and one that does not fit yet as retryable", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    const one = of(budget, "a")
    expect(kindOf(() => one.takeBody(49 * MEGABYTE))).toBe("body_too_large")
    one.takeBody(40 * MEGABYTE)
    const other = of(budget, "a")
    try {
      other.takeBody(40 * MEGABYTE)
      throw new Error("it was taken")
    } catch (error) {
      expect(error).toMatchObject({ kind: "overloaded", details: { retryAfter: 2 } })
    }
    one[Symbol.dispose]()
    one[Symbol.dispose]()
    expect(kindOf(() => other.takeBody(40 * MEGABYTE))).toBe("taken")
  })

  test("counts memory that a request takes after a handover until the successor is disposed of", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    const one = of(budget, "a")
    one.takeResponse(4 * MEGABYTE)
    const successor = one.handOver()
    one.takeResponse(1 * MEGABYTE)
    one[Symbol.dispose]()
    expect(budget.held).toBe(5 * MEGABYTE)
    one.takeResponse(20 * MEGABYTE)
    expect([budget.held, successor.held]).toEqual([25 * MEGABYTE, 25 * MEGABYTE])
    expect(kindOf(() => of(budget, "a").takeResponse(20 * MEGABYTE))).toBe("overloaded")
    expect(kindOf(() => one.takeResponse(40 * MEGABYTE))).toBe("upstream_error")
    one.give(21 * MEGABYTE)
    expect(budget.held).toBe(4 * MEGABYTE)
    successor[Symbol.dispose]()
    one.give(1)
    one.takeResponse(MEGABYTE)
    expect(budget.held).toBe(0)
  })

  test("distinguishes rejections caused by the same account from those caused by others", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    using _ = holding(budget, "a", 30)
    const response = (key: string, account: string) => () =>
      of(budget, key, account).takeResponse(27 * MEGABYTE)
    expect(rejection(response("a", "a"))).toBeInstanceOf(MemoryShareUsed)
    expect(rejection(response("b", "a"))).toBeInstanceOf(MemoryShareUsed)
    expect(rejection(response("c", "c"))).not.toBeInstanceOf(MemoryShareUsed)
    expect(kindOf(response("c", "c"))).toBe("overloaded")
  })

  test("never attributes a rejection to the caller if other accounts caused it", () => {
    const budget = new MemoryBudget(600 * MEGABYTE)
    using _ = holding(budget, "other", 400)
    using own = holding(budget, "own", 1)
    expect(own.held).toBe(MEGABYTE)
    const response = (megabytes: number) => () =>
      of(budget, "own").takeResponse(megabytes * MEGABYTE)
    const missed = rejection(response(100))
    expect(missed).toMatchObject({ kind: "overloaded" })
    expect(missed).not.toBeInstanceOf(MemoryShareUsed)
    // Alone, the caller could not hold that much in two requests either.
    expect(rejection(response(300))).toBeInstanceOf(MemoryShareUsed)
  })

  test("reports a shortage only to the accounts that hold the most memory", () => {
    const budget = new MemoryBudget(600 * MEGABYTE)
    using large = holding(budget, "large", 290)
    using small = holding(budget, "small", 10)
    using middle = holding(budget, "middle", 0)
    const short = () => [large, middle, small].map(({ isShort }) => isShort)
    expect(short()).toEqual([false, false, false])
    middle.takeResponse(50 * MEGABYTE)
    expect(short()).toEqual([true, false, false])
    middle.takeResponse(100 * MEGABYTE)
    expect(short()).toEqual([true, true, false])
    large[Symbol.dispose]()
    expect(short()).toEqual([false, false, false])
  })

  test("releases memory only once if a request returns it after a handover", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    using other = of(budget, "b")
    other.takeResponse(MEGABYTE)
    using work = of(budget, "a")
    work.takeResponse(4 * MEGABYTE)
    const successor = work.handOver()
    work.give(3 * MEGABYTE)
    expect([budget.held, work.held, successor.held]).toEqual([2 * MEGABYTE, 0, MEGABYTE])
    successor[Symbol.dispose]()
    work.give(MEGABYTE)
    expect(budget.held).toBe(MEGABYTE)
  })

  test("does not limit a response because the same key has small requests", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    using small = of(budget, "a")
    small.takeBody(1_000)
    expect(kindOf(() => of(budget, "a").takeResponse(40 * MEGABYTE))).toBe("taken")
  })

  test("attributes a rejection to an account only if it would also occur without other accounts, for any order of steps", () => {
    const step = fc.record({
      who: fc.integer({ min: 0, max: 5 }),
      bytes: fc.integer({ min: 0, max: 40 * MEGABYTE }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const budget = new MemoryBudget(100 * MEGABYTE)
        const taken: { who: number; bytes: number }[] = []
        for (const { who, bytes } of steps) {
          const take = () => of(budget, `k${who}`, `a${who % 2}`).takeResponse(bytes)
          const error = rejection(take)
          if (error === undefined) taken.push({ who, bytes })
          if (!(error instanceof MemoryShareUsed)) continue
          const alone = new MemoryBudget(100 * MEGABYTE)
          for (const own of taken.filter((one) => one.who % 2 === who % 2)) {
            of(alone, `k${own.who}`, "a").takeResponse(own.bytes)
          }
          expect(kindOf(() => of(alone, `k${who}`, "a").takeResponse(bytes))).toBe("overloaded")
        }
      }),
    )
  })

  test("stays exact and below its limit for any order of steps", () => {
    const step = fc.record({
      who: fc.integer({ min: 0, max: 5 }),
      what: fc.constantFrom("body", "answer", "give", "hand over", "leave", "settle", "end"),
      bytes: fc.integer({ min: 0, max: 40 * MEGABYTE }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new MemoryBudget(100 * MEGABYTE)
        // After a handover, the work still uses the first reservation, and the successor holds the memory.
        const begin = (who: number) => {
          const work = of(budget, `k${who}`, `a${who % 2}`)
          return { work, holder: work, taken: 0 }
        }
        const all = Array.from({ length: 6 }, (_, who) => begin(who))
        for (const { who, what, bytes } of steps) {
          const one = all[who]
          if (one === undefined) continue
          const { work, holder } = one
          if (what === "body" || what === "answer") {
            const take = () => (what === "body" ? work.takeBody(bytes) : work.takeResponse(bytes))
            if (kindOf(take) === "taken") one.taken += bytes
          } else if (what === "give") {
            const given = Math.min(bytes, one.taken)
            work.give(given)
            one.taken -= given
          } else if (what === "hand over") {
            if (work === holder && !work.isOver) one.holder = work.handOver()
          } else if (what === "leave") {
            work[Symbol.dispose]()
          } else {
            holder[Symbol.dispose]()
            if (what === "settle") continue
            work[Symbol.dispose]()
            all[who] = begin(who)
          }
          const held = all.flatMap(({ work, holder }) => [...new Set([work, holder])])
          for (const { held: bytesHeld } of held) expect(bytesHeld).toBeGreaterThanOrEqual(0)
          expect(budget.held).toBe(held.reduce((sum, { held: bytesHeld }) => sum + bytesHeld, 0))
          expect(budget.held).toBeLessThanOrEqual(budget.limit)
        }
        for (const { work, holder } of all) {
          holder[Symbol.dispose]()
          work[Symbol.dispose]()
        }
        expect(budget.held).toBe(0)
        expect(kindOf(() => of(budget, "k0", "a0").takeBody(75 * MEGABYTE))).toBe("taken")
      }),
    )
  })

  test("has at least 256 MB by default", () => {
    expect(defaultMemory()).toBeGreaterThanOrEqual(256 * MEGABYTE)
  })
})
