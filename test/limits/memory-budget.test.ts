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

function of(budget: MemoryBudget, id: string, account = id): Reservation {
  return budget.open({ id, account })
}

function holding(budget: MemoryBudget, id: string, megabytes: number): Reservation {
  const reservation = of(budget, id)
  reservation.takeBody(megabytes * MEGABYTE)
  return reservation
}

describe("the memory budget of all requests", () => {
  test("gives one key only a part of the free memory, so that others still get theirs", () => {
    const budget = new MemoryBudget(256 * MEGABYTE)
    const greedy = Array.from({ length: 100 }, () => of(budget, "greedy"))
    const taken = greedy.filter((one) => kindOf(() => one.takeBody(8 * MEGABYTE)) === "taken")
    expect(taken.length * 8).toBe(96)
    expect(kindOf(() => of(budget, "other").takeBody(40 * MEGABYTE))).toBe("taken")
    expect(kindOf(() => of(budget, "third").takeBody(20 * MEGABYTE))).toBe("taken")
  })

  test("gives an account with many keys no more than others", () => {
    const budget = new MemoryBudget(256 * MEGABYTE)
    for (let number = 0; number < 1_000; number++) {
      kindOf(() => of(budget, `key-${number}`, "greedy").takeBody(8 * MEGABYTE))
    }
    expect(budget.held).toBeLessThan((192 * 2 * MEGABYTE) / 3 + 1)
    expect(kindOf(() => of(budget, "other").takeBody(32 * MEGABYTE))).toBe("taken")
  })

  test("admits small requests when large ones have filled their part, and has a separate part for answers", () => {
    const budget = new MemoryBudget(256 * MEGABYTE)
    for (let number = 0; number < 4_000; number++) {
      kindOf(() => of(budget, `key-${number}`).takeBody(2 * MEGABYTE))
    }
    expect(kindOf(() => of(budget, "new").takeBody(4 * MEGABYTE))).toBe("overloaded")
    expect(kindOf(() => of(budget, "new").takeBody(96 * 1024))).toBe("taken")
    expect(kindOf(() => of(budget, "newer").takeAnswer(4 * MEGABYTE))).toBe("taken")
  })

  test("rejects a request that never fits as too large, and another request as retryable", () => {
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

  test("counts memory that is taken after a handover until the heir is released", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    const one = of(budget, "a")
    one.takeAnswer(4 * MEGABYTE)
    const heir = one.handOver()
    one.takeAnswer(1 * MEGABYTE)
    one[Symbol.dispose]()
    expect(budget.held).toBe(5 * MEGABYTE)
    one.takeAnswer(20 * MEGABYTE)
    expect([budget.held, heir.held]).toEqual([25 * MEGABYTE, 25 * MEGABYTE])
    expect(kindOf(() => of(budget, "a").takeAnswer(20 * MEGABYTE))).toBe("overloaded")
    expect(kindOf(() => one.takeAnswer(40 * MEGABYTE))).toBe("upstream_error")
    one.give(21 * MEGABYTE)
    expect(budget.held).toBe(4 * MEGABYTE)
    heir[Symbol.dispose]()
    one.give(1)
    one.takeAnswer(MEGABYTE)
    expect(budget.held).toBe(0)
  })

  test("distinguishes answers without memory because of the same account from others", () => {
    const budget = new MemoryBudget(64 * MEGABYTE)
    using _ = holding(budget, "a", 30)
    const refusal = (take: () => void): unknown => {
      try {
        return take()
      } catch (error) {
        return error
      }
    }
    const answer = (key: string, account: string) => () =>
      of(budget, key, account).takeAnswer(27 * MEGABYTE)
    expect(refusal(answer("a", "a"))).toBeInstanceOf(MemoryShareUsed)
    expect(refusal(answer("b", "a"))).toBeInstanceOf(MemoryShareUsed)
    expect(refusal(answer("c", "c"))).not.toBeInstanceOf(MemoryShareUsed)
    expect(kindOf(answer("c", "c"))).toBe("overloaded")
  })

  test("stays exact and below its limit in any order of steps", () => {
    const step = fc.record({
      who: fc.integer({ min: 0, max: 5 }),
      what: fc.constantFrom("body", "answer", "give", "hand over", "end"),
      bytes: fc.integer({ min: 0, max: 40 * MEGABYTE }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new MemoryBudget(100 * MEGABYTE)
        // After a handover, the work still uses the first reservation, and the heir holds the memory.
        const begin = (who: number) => {
          const work = of(budget, `k${who}`, `a${who % 2}`)
          return { work, holder: work }
        }
        const all = Array.from({ length: 6 }, (_, who) => begin(who))
        for (const { who, what, bytes } of steps) {
          const one = all[who]
          if (one === undefined) continue
          const { work, holder } = one
          if (what === "body") kindOf(() => work.takeBody(bytes))
          else if (what === "answer") kindOf(() => work.takeAnswer(bytes))
          else if (what === "give") work.give(Math.min(bytes, holder.held))
          else if (what === "hand over") {
            if (work !== holder) continue
            one.holder = work.handOver()
            work[Symbol.dispose]()
          } else {
            holder[Symbol.dispose]()
            all[who] = begin(who)
          }
          expect(budget.held).toBe(all.reduce((sum, { holder: { held } }) => sum + held, 0))
          expect(budget.held).toBeLessThanOrEqual(budget.limit)
        }
        for (const { holder } of all) holder[Symbol.dispose]()
        expect(budget.held).toBe(0)
        expect(kindOf(() => of(budget, "k0", "a0").takeBody(75 * MEGABYTE))).toBe("taken")
      }),
    )
  })

  test("has at least 256 MB by default", () => {
    expect(defaultMemory()).toBeGreaterThanOrEqual(256 * MEGABYTE)
  })
})
