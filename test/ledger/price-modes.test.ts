import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { TOKEN_PRICE_NAMES } from "tollgate-contract/usage-classes.ts"
import { NO_USAGE, type Usage } from "../../src/canon/usage.ts"
import { formatCredits } from "../../src/ledger/money.ts"
import { modeOf, priceIn, priceTimes } from "../../src/ledger/price-modes.ts"
import { type DecimalMode, type DecimalPrice, parsePrice } from "../../src/ledger/parse-price.ts"
import { costOf, ratesFor } from "../../src/ledger/price.ts"

/** Prices of Gemini 2.5 Pro, whose cache reads cost the same in flex mode. */
const PRICE: DecimalPrice = {
  input: "1.25",
  cached_input: "0.125",
  output: "10",
  tiers: [{ above: 200_000, input: "2.5", cached_input: "0.25", output: "15" }],
}
const FLEX: DecimalMode = {
  input: "0.625",
  cached_input: "0.125",
  output: "5",
  tiers: [{ above: 200_000, input: "1.25", cached_input: "0.25", output: "7.5" }],
}
/** 200,000 input tokens, half of them read from a cache, and 1,000 output tokens. */
const SHORT: Usage = { ...NO_USAGE, inputFresh: 100_000, inputCacheRead: 100_000, output: 1_000 }
const LONG: Usage = { ...SHORT, inputFresh: 100_001 }

function inMode(modes: Record<string, DecimalMode>, own: DecimalPrice = PRICE, multiplier = "1") {
  const price = parsePrice({ ...own, modes }, multiplier)
  return { price, mode: (name: string) => modeOf(price, name) }
}

function costIn(own: DecimalPrice, mode: DecimalMode, usage: Usage): string {
  const { price } = inMode({ flex: mode }, own)
  return formatCredits(costOf(usage, modeOf(price, "flex")?.price ?? price).total)
}

describe("a service mode with its own rates", () => {
  test("has a rate for each class, even for long input", () => {
    expect(costIn(PRICE, FLEX, SHORT)).toBe("0.08")
    expect(costIn(PRICE, FLEX, LONG)).toBe("0.15750125")
  })

  test("reports its highest factor, and whether its classes are more or less expensive", () => {
    const { mode } = inMode({
      flex: FLEX,
      fast: "2",
      slow: "0.5",
      mixed: { input: "2.5", output: "5" },
      priority: { input: "2.25", output: "18" },
    })
    const facts = (name: string) => {
      const { factor, isHigher, isLower, isUniform } = mode(name) ?? {}
      return { factor, isHigher, isLower, isUniform }
    }
    const isUniform = false
    expect(facts("flex")).toEqual({ factor: 1_000_000n, isHigher: false, isLower: true, isUniform })
    const both = { factor: 2_000_000n, isHigher: true, isLower: true }
    expect(facts("mixed")).toEqual({ ...both, isUniform })
    const priority = { factor: 1_800_000n, isHigher: true, isLower: false }
    expect(facts("priority")).toEqual({ ...priority, isUniform })
    expect(facts("fast")).toEqual({ ...both, isLower: false, isUniform: true })
    expect(facts("slow").isLower).toBe(true)
    expect(mode("none")).toBeUndefined()
  })

  test("uses the standard price for a missing class if its other rates are lower", () => {
    const flex = inMode({ flex: { input: "0.625", output: "5" } }).mode("flex")?.price
    expect(flex?.rates).toEqual(parsePrice({ ...PRICE, input: "0.625", output: "5" }, "1").rates)
    // A tier that the mode does not contain costs as much as without the mode.
    expect(flex && ratesFor(flex, 200_001)).toEqual(ratesFor(parsePrice(PRICE, "1"), 200_001))
  })

  test("uses its highest factor for a missing class if its other rates are higher", () => {
    const priority = inMode({ priority: { input: "2.25", output: "16" } }).mode("priority")?.price
    const rates = { input: "2.25", cached_input: "0.225", output: "16" }
    expect(priority?.rates).toEqual(parsePrice(rates, "1").rates)
    const long = { input: "4.5", cached_input: "0.45", output: "27" }
    expect(priority && ratesFor(priority, 200_001)).toEqual(parsePrice(long, "1").rates)
  })

  test("can have tiers that the standard price does not have", () => {
    const mode = { input: "0.5", output: "4", tiers: [{ above: 1_000, input: "1" }] }
    const flex = inMode({ flex: mode }, { input: "1", output: "8" }).mode("flex")?.price
    expect(flex?.rates).toEqual(parsePrice({ input: "0.5", output: "4" }, "1").rates)
    expect(flex && ratesFor(flex, 1_001)).toEqual(
      parsePrice({ input: "1", output: "4" }, "1").rates,
    )
  })

  test("can price a class that has no standard price", () => {
    const own = { input: "1", output: "8" }
    const flex = inMode({ flex: { input: "0.5", cached_input: "0.1", output: "4" } }, own)
    expect(costOf(SHORT, flex.mode("flex")?.price ?? flex.price).total).toBe(
      50_000_000n + 10_000_000n + 4_000_000n,
    )
  })

  test("resolves to the same object each time, keeps other prices, and scales with a factor on all prices", () => {
    const own = { ...PRICE, request: "7" }
    const { price, mode } = inMode({ flex: FLEX }, own, "1.5")
    const flex = mode("flex")?.price
    expect(mode("flex")?.price).toBe(flex as never)
    expect(flex).toMatchObject({ multiplier: 1_500_000n, rates: { requests: 7_000_000_000n } })
    const regional = modeOf(priceTimes(price, 1_100_000n), "flex")?.price
    expect(regional?.rates.inputFresh).toBe(687_500_000n)
    expect(regional?.tiers[0]?.rates.inputCacheRead).toBe(275_000_000n)
  })

  test("can be combined with other modes, and the factors are multiplied", () => {
    const { price } = inMode({ us: "1.1", flex: FLEX, fast: "2" })
    const applied = (key: string) => ({ key, factor: modeOf(price, key)?.factor ?? 0n })
    const rateIn = (...keys: string[]) => priceIn(price, keys.map(applied)).rates.inputFresh
    expect(priceIn(price, [])).toBe(price)
    expect(rateIn("flex", "us")).toBe(687_500_000n)
    expect(rateIn("us", "flex")).toBe(687_500_000n)
    expect(rateIn("us", "fast")).toBe(2_750_000_000n)
    // The price of another model may not have the mode.
    const other = parsePrice({ input: "1", output: "1" }, "1")
    expect(priceIn(other, [applied("fast")]).rates.inputFresh).toBe(2_000_000_000n)
    expect(priceIn(other, [{ key: undefined, factor: 3_000_000n }]).rates.output).toBe(
      3_000_000_000n,
    )
  })
})

const rate = fc.integer({ min: 0, max: 1_000 }).map(String)
const rates = fc.dictionary(fc.constantFrom(...TOKEN_PRICE_NAMES), rate, { maxKeys: 6 })
const tiered = fc.record({
  card: rates,
  tiers: fc.uniqueArray(fc.record({ above: fc.integer({ min: 1, max: 9 }), card: rates }), {
    selector: ({ above }) => above,
    maxLength: 2,
  }),
})
const asPrice = ({ card, tiers }: typeof tiered extends fc.Arbitrary<infer T> ? T : never) => ({
  ...card,
  tiers: tiers.map((tier) => ({ above: tier.above, ...tier.card })),
})

test("a mode with the rates of the standard price does not change the price", () => {
  fc.assert(
    fc.property(tiered, fc.integer({ min: 1, max: 20 }), (drawn, length) => {
      const own = asPrice(drawn)
      const price = parsePrice({ ...own, modes: { same: own } }, "1")
      const mode = modeOf(price, "same")
      expect(mode).toMatchObject({ isHigher: false, isLower: false })
      expect(mode && ratesFor(mode.price, length)).toEqual(ratesFor(price, length))
    }),
    { seed: 7 },
  )
})
