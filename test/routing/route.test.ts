import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Deployment, Model } from "../../src/catalog/model.ts"
import { parsePrice } from "../../src/ledger/price.ts"
import { Health } from "../../src/routing/health.ts"
import { route } from "../../src/routing/route.ts"

const price = parsePrice({ input: "1", output: "1" }, "1")

function deployment(id: string, weight: number, priced = true): Deployment {
  const made = { id, provider: "mine", upstreamModel: id, weight }
  return priced ? { ...made, price } : made
}

function model(deployments: readonly Deployment[]): Model {
  return { id: "mine/pool", kind: "chat", created: 1, ownedBy: "mine", deployments }
}

/** Mulberry32: the same numbers every time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const ids = (deployments: readonly Deployment[]) => deployments.map(({ id }) => id)

describe("route", () => {
  test("gives a single deployment as it stands on the model", () => {
    const one = model([deployment("a", 1)])
    expect(route(one, new Health())).toBe(one.deployments)
    expect(route(model([deployment("a", 1, false)]), new Health())).toEqual([])
    expect(route(model([]), new Health())).toEqual([])
  })

  test("draws by weight: twice the weight is first twice as often", () => {
    const random = seeded(42)
    const pool = model([deployment("a", 1), deployment("b", 2), deployment("c", 5)])
    const health = new Health()
    const firsts: Record<string, number> = { a: 0, b: 0, c: 0 }
    const seconds: Record<string, number> = { a: 0, b: 0, c: 0 }
    const rounds = 40_000
    for (let round = 0; round < rounds; round++) {
      const [first = "", second = ""] = ids(route(pool, health, random))
      firsts[first]!++
      if (first === "c") seconds[second]!++
    }
    expect(firsts["a"]! / rounds).toBeCloseTo(1 / 8, 1.9)
    expect(firsts["b"]! / rounds).toBeCloseTo(2 / 8, 1.9)
    expect(firsts["c"]! / rounds).toBeCloseTo(5 / 8, 1.9)
    // Without putting back: of what is left, b has twice the weight of a.
    expect(seconds["b"]! / firsts["c"]!).toBeCloseTo(2 / 3, 1.9)
  })

  test("keeps weight 0 for when all others have failed, in the order of the settings", () => {
    const random = seeded(7)
    const pool = model([deployment("spare", 0), deployment("reserve", 0), deployment("a", 1)])
    const health = new Health()
    for (let round = 0; round < 100; round++) {
      expect(ids(route(pool, health, random))).toEqual(["a", "spare", "reserve"])
    }
  })

  test("puts those with an open circuit last, even behind a spare, and never refuses", () => {
    let now = 0
    const health = new Health(() => now)
    const pool = model([deployment("a", 100), deployment("b", 1), deployment("spare", 0)])
    health.refused("a")
    expect(ids(route(pool, health, seeded(1)))).toEqual(["b", "spare", "a"])
    health.refused("b")
    health.refused("spare")
    expect(ids(route(pool, health, seeded(1))).toSorted()).toEqual(["a", "b", "spare"])
    now += 60_000
    expect(health.isHealthy("a")).toBe(true)
  })

  test("sends one request to what has rested, and the others elsewhere until it has ended", () => {
    let now = 0
    const health = new Health(() => now)
    const pool = model([deployment("a", 1_000_000), deployment("b", 1e-6)])
    health.refused("a")
    now += 60_000
    const random = seeded(3)
    expect(ids(route(pool, health, random))).toEqual(["a", "b"])
    health.attempted("a")
    expect(ids(route(pool, health, random))).toEqual(["b", "a"])
    health.succeeded("a")
    expect(ids(route(pool, health, random))).toEqual(["a", "b"])
  })

  test("orders each deployment that has a price exactly once: healthy, spare, with an open circuit", () => {
    const one = fc.record({
      weight: fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true })),
      priced: fc.boolean(),
      resting: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), fc.integer(), (made, seed) => {
        const health = new Health(() => 0)
        const deployments = made.map(({ weight, priced }, index) =>
          deployment(`d${index}`, weight, priced),
        )
        const resting = new Set<string>()
        for (const [index, { resting: rests }] of made.entries()) {
          if (!rests) continue
          health.refused(`d${index}`)
          resting.add(`d${index}`)
        }
        const ordered = route(model(deployments), health, seeded(seed))
        const wanted = ids(deployments.filter(({ price }) => price !== undefined))
        expect(ids(ordered).toSorted()).toEqual(wanted.toSorted())
        const rank = ({ id, weight }: Deployment) =>
          (resting.has(id) ? 2 : 0) + (weight === 0 ? 1 : 0)
        const ranks = ordered.map(rank)
        expect(ranks).toEqual(ranks.toSorted())
      }),
    )
  })
})
