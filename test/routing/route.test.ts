import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Deployment, Model } from "../../src/catalog/model.ts"
import { parsePrice } from "../../src/ledger/parse-price.ts"
import { Health } from "../../src/routing/health.ts"
import { Loads } from "../../src/routing/loads.ts"
import { Router } from "../../src/routing/route.ts"

const price = parsePrice({ input: "1", output: "1" }, "1")

function deployment(id: string, weight: number, priced = true): Deployment {
  const made = { id, provider: "mine", upstreamModel: id, weight }
  return priced ? { ...made, price } : made
}

function model(deployments: readonly Deployment[]): Model {
  return { id: "mine/pool", kind: "chat", created: 1, ownedBy: "mine", deployments }
}

/** Returns a Mulberry32 generator, which gives the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const route = (asked: Model, health: Health, random?: () => number) =>
  new Router(health, new Loads(), random).route(asked).deployments

const ids = (deployments: readonly Deployment[]) => deployments.map(({ id }) => id)

describe("the route of a request", () => {
  test("equals the model's own list if there is one deployment", () => {
    const one = model([deployment("a", 1)])
    expect(route(one, new Health())).toBe(one.deployments)
    expect(route(model([deployment("a", 1, false)]), new Health())).toEqual([])
    expect(route(model([]), new Health())).toEqual([])
  })

  test("starts with a deployment twice as often as with one of half its weight", () => {
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
    // Deployments are drawn without replacement. Of the remaining deployments, b has twice the weight of a.
    expect(seconds["b"]! / firsts["c"]!).toBeCloseTo(2 / 3, 1.9)
  })

  test("has deployments of weight 0 last, in the order of the settings", () => {
    const random = seeded(7)
    const pool = model([deployment("spare", 0), deployment("reserve", 0), deployment("a", 1)])
    const health = new Health()
    for (let round = 0; round < 100; round++) {
      expect(ids(route(pool, health, random))).toEqual(["a", "spare", "reserve"])
    }
  })

  test("has open circuits last, even after fallbacks, and includes every deployment", () => {
    let now = 0
    const health = new Health(() => now)
    const pool = model([deployment("a", 100), deployment("b", 1), deployment("spare", 0)])
    health.rejected("a")
    expect(ids(route(pool, health, seeded(1)))).toEqual(["b", "spare", "a"])
    health.rejected("b")
    health.rejected("spare")
    expect(ids(route(pool, health, seeded(1))).toSorted()).toEqual(["a", "b", "spare"])
    now += 60_000
    expect(health.isHealthy("a")).toBe(true)
  })

  test("sends one request to a deployment after its cooldown, and all others elsewhere until that request ends", () => {
    let now = 0
    const health = new Health(() => now)
    const pool = model([deployment("a", 1_000_000), deployment("b", 1e-6)])
    health.rejected("a")
    now += 60_000
    const random = seeded(3)
    expect(ids(route(pool, health, random))).toEqual(["a", "b"])
    health.attempted("a")
    expect(ids(route(pool, health, random))).toEqual(["b", "a"])
    health.succeeded("a")
    expect(ids(route(pool, health, random))).toEqual(["a", "b"])
  })

  test("has each priced deployment exactly once: healthy, then fallback, then with an open circuit", () => {
    const one = fc.record({
      weight: fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true })),
      priced: fc.boolean(),
      isCoolingDown: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), fc.integer(), (made, seed) => {
        const health = new Health(() => 0)
        const deployments = made.map(({ weight, priced }, index) =>
          deployment(`d${index}`, weight, priced),
        )
        const coolingDown = new Set<string>()
        for (const [index, { isCoolingDown }] of made.entries()) {
          if (!isCoolingDown) continue
          health.rejected(`d${index}`)
          coolingDown.add(`d${index}`)
        }
        const ordered = route(model(deployments), health, seeded(seed))
        const wanted = ids(deployments.filter(({ price }) => price !== undefined))
        expect(ids(ordered).toSorted()).toEqual(wanted.toSorted())
        const rank = ({ id, weight }: Deployment) =>
          (coolingDown.has(id) ? 2 : 0) + (weight === 0 ? 1 : 0)
        const ranks = ordered.map(rank)
        expect(ranks).toEqual(ranks.toSorted())
      }),
    )
  })
})

describe("affinity of routes", () => {
  const pool = model(["a", "b", "c"].map((id) => deployment(id, 1)))
  const keyOf = (text: string) => () => ({ kind: "session", text }) as const
  const routed = (asked: Model, health: Health, text: string) =>
    ids(new Router(health, new Loads()).route(asked, keyOf(text)).deployments)

  test("sends the same key to the same deployment in every process", () => {
    const health = new Health()
    for (const text of ["one", "two", "three"]) {
      expect(routed(pool, health, text)).toEqual(routed(pool, health, text))
    }
    expect(new Router(health, new Loads()).route(pool, keyOf("one")).reason).toBe("session")
  })

  test("distributes keys by weight", () => {
    const weighted = model([deployment("a", 1), deployment("b", 3)])
    const health = new Health()
    const count = 8_000
    const first = Array.from({ length: count }, (_, index) =>
      routed(weighted, health, `session ${index}`),
    ).filter(([id]) => id === "b").length
    expect(first / count).toBeCloseTo(3 / 4, 1.7)
  })

  test("moves only the keys of a deployment that is cooling down, and moves them back", () => {
    let now = 0
    const health = new Health(() => now)
    const texts = Array.from({ length: 300 }, (_, index) => `session ${index}`)
    const before = new Map(texts.map((text) => [text, routed(pool, health, text)]))
    health.rejected("a")
    for (const [text, order] of before) {
      const [first, second] = order
      expect(routed(pool, health, text)[0]).toBe(first === "a" ? second! : first!)
    }
    now += 60_000
    for (const [text, order] of before) expect(routed(pool, health, text)).toEqual(order)
  })

  test("does not change an order that the operator has set", () => {
    const ordered = { ...pool, strategy: "order" as const }
    for (const text of ["one", "two", "three", "four"]) {
      expect(routed(ordered, new Health(), text)).toEqual(["a", "b", "c"])
    }
  })

  test("computes no affinity for a single deployment", () => {
    const one = model([deployment("a", 1)])
    const ask = () => {
      throw new Error("asked")
    }
    expect(new Router(new Health(), new Loads()).route(one, ask).deployments).toHaveLength(1)
  })
})

describe("the loads of deployments", () => {
  test("share one entry without retries for models that only callers have named", () => {
    const loads = new Loads()
    const named = (id: string): Deployment => ({ ...deployment(id, 1), isAssumed: true })
    expect(loads.of(named("one"))).toBe(loads.of(named("two")))
    expect(loads.of(named("one")).takeRetry()).toBe(false)
    loads.of(named("one")).succeeded()
    expect(loads.of(named("one")).takeRetry()).toBe(false)
  })

  test("allow one more retry per ten successes", () => {
    const load = new Loads().of(deployment("a", 1))
    while (load.takeRetry());
    for (let success = 0; success < 9; success++) load.succeeded()
    expect(load.takeRetry()).toBe(false)
    load.succeeded()
    load.succeeded()
    expect(load.takeRetry()).toBe(true)
  })
})

describe("the routing strategy", () => {
  const health = new Health()
  const of = (strategy: Model["strategy"], ...weights: number[]): Model => ({
    ...model(weights.map((weight, index) => deployment(`d${index}`, weight))),
    strategy: strategy!,
  })
  const firstOf = (router: Router, asked: Model) => ids(router.route(asked).deployments)[0]

  test("latency selects the faster of two random deployments, and retries a slow one later", () => {
    const loads = new Loads()
    const router = new Router(health, loads, seeded(5))
    const pool = of("latency", 1, 1)
    const now = performance.now()
    loads.of(deployment("d0", 1)).answered(2_000, now)
    loads.of(deployment("d1", 1)).answered(100, now)
    for (let round = 0; round < 50; round++) expect(firstOf(router, pool)).toBe("d1")
    loads.of(deployment("d0", 1)).answered(50, now - 10 * 60_000)
    const old = new Loads()
    old.of(deployment("d0", 1)).answered(2_000, now - 10 * 60_000)
    old.of(deployment("d1", 1)).answered(100, now)
    expect(firstOf(new Router(health, old, seeded(5)), pool)).toBe("d0")
  })

  test("latency includes running requests, so that not all requests go to the fastest", () => {
    const loads = new Loads()
    const router = new Router(health, loads, seeded(5))
    loads.of(deployment("d0", 1)).answered(100)
    loads.of(deployment("d1", 1)).answered(150)
    for (let busy = 0; busy < 4; busy++) loads.of(deployment("d0", 1)).begin()
    expect(firstOf(router, of("latency", 1, 1))).toBe("d1")
  })

  test("least_busy selects the fewest requests, relative to the weights", () => {
    const loads = new Loads()
    const router = new Router(health, loads, seeded(5))
    const pool = of("least_busy", 1, 4)
    for (let request = 0; request < 3; request++) loads.of(deployment("d1", 1)).begin()
    loads.of(deployment("d0", 1)).begin()
    expect(firstOf(router, pool)).toBe("d1")
    loads.of(deployment("d1", 1)).begin()
    loads.of(deployment("d1", 1)).begin()
    expect(firstOf(router, pool)).toBe("d0")
    loads.of(deployment("d0", 1)).begin()
    loads.of(deployment("d0", 1)).begin()
    expect(firstOf(router, pool)).toBe("d1")
  })

  test("order selects the first healthy deployment in the settings", () => {
    const troubled = new Health(() => 0)
    const router = new Router(troubled, new Loads())
    const pool = of("order", 1, 5, 9)
    expect(ids(router.route(pool).deployments)).toEqual(["d0", "d1", "d2"])
    troubled.rejected("d0")
    expect(ids(router.route(pool).deployments)).toEqual(["d1", "d2", "d0"])
  })
})
