import { CLASS_OF_NAME, type UsageClass } from "tollgate-contract/usage-classes.ts"
import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  MAX_QUANTITY,
  MAX_REPORTED_AMOUNT,
  MAX_STORED_AMOUNT,
} from "../../src/accounting/maxima.ts"
import { NO_USAGE, totalInput, type Usage } from "../../src/canon/usage.ts"
import { formatCredits } from "../../src/ledger/money.ts"
import { type DecimalPrice, parsePrice } from "../../src/ledger/parse-price.ts"
import { costOf, rateOf, ratesFor } from "../../src/ledger/price.ts"
import { modeOf, priceTimes } from "../../src/ledger/price-modes.ts"
import { costOfLines, providerCost } from "../../src/relay/billing/provider-cost.ts"

type PriceName = keyof typeof CLASS_OF_NAME
const NAMES = Object.keys(CLASS_OF_NAME) as PriceName[]

/** A fraction of two integers. */
interface Rational {
  readonly top: bigint
  readonly bottom: bigint
}

function rational(decimal: string): Rational {
  const [whole = "", fraction = ""] = decimal.split(".")
  return { top: BigInt(whole + fraction), bottom: 10n ** BigInt(fraction.length) }
}

function times(left: Rational, right: Rational): Rational {
  return { top: left.top * right.top, bottom: left.bottom * right.bottom }
}

function plus(left: Rational, right: Rational): Rational {
  return {
    top: left.top * right.bottom + right.top * left.bottom,
    bottom: left.bottom * right.bottom,
  }
}

function roundUp({ top, bottom }: Rational): bigint {
  const down = top / bottom
  return down * bottom === top ? down : down + 1n
}

/**
 * For each class, the names of the classes whose price it uses, nearest first. The table is independent of the code.
 */
const CHAIN: Record<PriceName, readonly PriceName[]> = {
  input: ["input"],
  cached_input: ["cached_input", "input"],
  cache_write: ["cache_write", "input"],
  cache_write_1h: ["cache_write_1h", "cache_write", "input"],
  cache_write_12h: ["cache_write_12h", "cache_write_1h", "cache_write", "input"],
  output: ["output"],
  audio_input: ["audio_input", "input"],
  cached_audio_input: ["cached_audio_input", "cached_input", "input"],
  image_input: ["image_input", "input"],
  audio_output: ["audio_output", "output"],
  image_output: ["image_output", "output"],
  reasoning_output: ["reasoning_output", "output"],
  image: ["image"],
  character: ["character"],
  second: ["second"],
  search: ["search"],
  search_premium: ["search_premium"],
  map_search: ["map_search"],
  file_search: ["file_search"],
  code_session: ["code_session"],
  request: ["request"],
  request_medium: ["request_medium", "request"],
  request_low: ["request_low", "request"],
}

function slowCost(usage: Usage, price: DecimalPrice, multiplier: string): bigint {
  const tier = (price.tiers ?? [])
    .filter((candidate) => totalInput(usage) > candidate.above)
    .reduce<(DecimalPrice & { above: number }) | undefined>(
      (best, candidate) => (best && best.above > candidate.above ? best : candidate),
      undefined,
    )
  const card: DecimalPrice = { ...price, ...tier }
  let sum = rational("0")
  for (const name of NAMES) {
    const decimal = CHAIN[name].map((candidate) => card[candidate]).find(Boolean) ?? "0"
    const quantity = rational(String(usage[CLASS_OF_NAME[name]]))
    sum = plus(sum, times(quantity, times(rational(decimal), { top: 1n, bottom: 1_000_000n })))
  }
  return roundUp(times(times(sum, rational(multiplier)), { top: 1_000_000_000n, bottom: 1n }))
}

const anyRate = fc.bigInt({ min: 0n, max: 10n ** 14n }).map((rate) => formatCredits(rate))
const anyRates = fc.dictionary(fc.constantFrom(...NAMES), anyRate, { noNullPrototype: true })
const anyTiers = fc.uniqueArray(fc.tuple(fc.nat({ max: 300_000 }), anyRates), {
  maxLength: 3,
  selector: ([above]) => above,
})
const anyPrice: fc.Arbitrary<DecimalPrice> = fc.tuple(anyRates, anyTiers).map(([rates, tiers]) => ({
  ...rates,
  tiers: tiers.map(([above, tier]) => ({ above, ...tier })),
}))
const anyMultiplier = fc.nat({ max: 20_000_000 }).map((factor) => {
  const digits = String(factor).padStart(7, "0")
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
})
const anyUsage: fc.Arbitrary<Usage> = fc
  .array(fc.tuple(fc.constantFrom(...Object.values(CLASS_OF_NAME)), fc.nat({ max: 2_000_000 })))
  .map((quantities) => ({ ...NO_USAGE, ...Object.fromEntries(quantities) }))

describe("the cost of usage", () => {
  test("equals a calculation with exact fractions", () => {
    fc.assert(
      fc.property(anyUsage, anyPrice, anyMultiplier, (usage, price, multiplier) => {
        const cost = costOf(usage, parsePrice(price, multiplier))
        expect(cost.total).toBe(slowCost(usage, price, multiplier))
      }),
      { numRuns: 500 },
    )
  })

  test("equals the sum of the lines of its receipt", () => {
    const usages = fc.tuple(anyUsage, fc.double({ min: 0, max: 10_000, noNaN: true }))
    fc.assert(
      fc.property(usages, anyPrice, anyMultiplier, ([counted, seconds], price, multiplier) => {
        const cost = costOf({ ...counted, seconds }, parsePrice(price, multiplier))
        let sum = 0n
        for (const line of cost.lines) sum += BigInt(line.quantity) * line.rate
        const total = roundUp({ top: sum * cost.multiplier, bottom: 10n ** 12n })
        expect(cost.total).toBe(total)
      }),
    )
  })

  test("never decreases if usage increases", () => {
    const classes = fc.constantFrom(...Object.values(CLASS_OF_NAME))
    const cases = fc.tuple(anyUsage, classes, fc.nat({ max: 1_000 }))
    fc.assert(
      fc.property(cases, anyRates, ([usage, usageClass, more], rates) => {
        const price = parsePrice(rates, "1.5")
        const larger = { ...usage, [usageClass]: usage[usageClass] + more }
        expect(costOf(larger, price).total >= costOf(usage, price).total).toBe(true)
      }),
    )
  })

  test("increases by the factor of a mode, but only for tokens", () => {
    const price = parsePrice({ input: "1", output: "2", request: "7", modes: { fast: "2.5" } }, "1")
    const fast = modeOf(price, "fast")?.price
    expect(fast?.rates).toEqual({
      inputFresh: 2_500_000_000n,
      output: 5_000_000_000n,
      requests: 7_000_000_000n,
    })
    // A receipt contains all rates of the rate card.
    expect(priceTimes(price, 2_500_000n) === fast).toBe(true)
    expect(priceTimes(price, 1_000_000n)).toBe(price)
  })

  test("includes the vendor's services at the vendor's price, unless the model has a price for them", () => {
    const services = { search: "10", file_search: "20" }
    const price = parsePrice({ input: "1", output: "2", search: "30" }, "1", services)
    const usage = { ...NO_USAGE, searches: 1, fileSearches: 1 }
    expect(costOf(usage, price).lines.map(({ rate }) => rate)).toEqual([
      30_000_000_000n,
      20_000_000_000n,
    ])
  })

  test("includes usage of another model at that model's price and multiplier", () => {
    const price = parsePrice({ input: "1", output: "2" }, "2")
    const other = parsePrice({ input: "10", output: "20" }, "3")
    const usage = { ...NO_USAGE, inputFresh: 1_000_000 }
    const cost = costOf(usage, price, [{ model: "b", usage, price: other }])
    expect(cost.lines.map(({ model, rate }) => [model, rate])).toEqual([
      [undefined, 1_000_000_000n],
      ["b", 15_000_000_000n],
    ])
    expect(cost.total).toBe(2_000_000_000n + 30_000_000_000n)
  })

  test("rounds up only once, at the end", () => {
    const price = parsePrice({ input: "0.000001", output: "0.000001" }, "1")
    const usage = { ...NO_USAGE, inputFresh: 1, output: 1 }
    // Twice a thousandth of a nanocredit is one nanocredit, not two.
    expect(costOf(usage, price).total).toBe(1n)
  })

  test("rounds seconds up to whole seconds", () => {
    const cost = costOf({ ...NO_USAGE, seconds: 1.2 }, parsePrice({ second: "100" }, "1"))
    expect(cost).toEqual({
      lines: [{ class: "seconds", quantity: 2, rate: 100_000_000_000n }],
      multiplier: 1_000_000n,
      total: 200_000n,
    })
  })

  test("treats a negative count as zero", () => {
    const price = parsePrice({ input: "1", output: "1" }, "1")
    const cost = costOf({ ...NO_USAGE, inputFresh: 10, output: -10 }, price)
    expect(cost.total).toBe(10_000n)
  })

  test("excludes reasoning, which is already part of the output", () => {
    const price = parsePrice({ input: "1", output: "1" }, "1")
    expect(costOf({ ...NO_USAGE, output: 10, reasoning: 8 }, price).total).toBe(10_000n)
  })
})

test("the cost of any usage fits into a column of the ledger", () => {
  const price = parsePrice({ input: "999999999", output: "1" }, "999999999")
  const usage = { ...NO_USAGE, inputFresh: Number.MAX_VALUE, output: 2 ** 64 }
  const cost = costOf(usage, price, [{ model: "other", usage, price }])
  expect(cost.total).toBe(MAX_STORED_AMOUNT)
  expect(cost.lines.map(({ quantity }) => quantity)).toEqual([1, 2, 3, 4].map(() => MAX_QUANTITY))
  expect(providerCost({ usage, estimated: false, cost }, price)).toBeUndefined()
  expect(costOfLines(cost.lines)).toBe(MAX_REPORTED_AMOUNT)
})

describe("the price parser", () => {
  test("uses the rate of the parent class for a class without a rate", () => {
    const { rates } = parsePrice({ input: "2", output: "3", cache_write: "4" }, "1")
    const expected: Partial<Record<UsageClass, bigint>> = {
      inputCacheRead: 2_000_000_000n,
      inputCacheWrite: 4_000_000_000n,
      inputCacheWrite1h: 4_000_000_000n,
      audioInput: 2_000_000_000n,
      imageInput: 2_000_000_000n,
      audioOutput: 3_000_000_000n,
      images: 0n,
    }
    for (const [name, rate] of Object.entries(expected)) {
      expect(rateOf(rates, name as UsageClass)).toBe(rate)
    }
  })

  test("applies the highest tier that the input exceeds to the whole request", () => {
    const price = parsePrice(
      {
        input: "1",
        output: "10",
        tiers: [
          { above: 100, input: "2" },
          { above: 200, input: "3", output: "30" },
        ],
      },
      "1",
    )
    expect(ratesFor(price, 100).inputFresh).toBe(1_000_000_000n)
    expect(ratesFor(price, 101)).toEqual({ inputFresh: 2_000_000_000n, output: 10_000_000_000n })
    expect(ratesFor(price, 200).inputFresh).toBe(2_000_000_000n)
    expect(ratesFor(price, 201)).toEqual({ inputFresh: 3_000_000_000n, output: 30_000_000_000n })
  })

  test("returns a price of zero if the multiplier is zero", () => {
    const price = parsePrice({ input: "5" }, "0")
    expect(costOf({ ...NO_USAGE, inputFresh: 1_000_000 }, price).total).toBe(0n)
  })

  test("rejects a price of one billion or more", () => {
    const message = "must be below 1000000000"
    expect(() => parsePrice({ input: "1000000000" }, "1")).toThrow(`input: 1000000000' ${message}`)
    expect(() => parsePrice({ images: { hd: "1000000000" } }, "1")).toThrow(message)
    expect(() => parsePrice({ input: "1" }, "1000000000")).toThrow(message)
    expect(() => parsePrice({ input: "1", modes: { fast: "9999999999" } }, "1")).toThrow(message)
    expect(() => parsePrice({ input: "999999999.999999999" }, "999999999.999999")).not.toThrow()
  })

  test("rejects negative values and invalid decimals", () => {
    expect(() => parsePrice({ input: "-1" }, "1")).toThrow("price 'input: -1' is negative")
    expect(() => parsePrice({ tiers: [{ above: 1, output: "-2" }] }, "1")).toThrow("negative")
    expect(() => parsePrice({ input: "1" }, "-1")).toThrow("multiplier '-1' is negative")
    expect(() => parsePrice({ input: "1" }, "1.0000001")).toThrow(RangeError)
    expect(() => parsePrice({ input: "free" }, "1")).toThrow(RangeError)
  })
})

describe("a price with a minimum of seconds", () => {
  const price = parsePrice({ second: "100", minimum_seconds: "10" }, "1.5")
  const linesOf = (seconds: number) => costOf({ ...NO_USAGE, seconds }, price).lines

  test("charges the minimum for shorter audio, and shows the minimum on the receipt line", () => {
    const minimum = { class: "seconds" as const, quantity: 10, isMinimum: true as const }
    for (const seconds of [0.1, 3, 9]) {
      expect(linesOf(seconds)).toEqual([{ ...minimum, rate: 100_000_000_000n }])
    }
    expect(costOf({ ...NO_USAGE, seconds: 3 }, price).total).toBe(1_500_000n)
  })

  test("charges longer audio by its duration, and charges nothing without audio", () => {
    for (const [seconds, quantity] of [
      [9.2, 10],
      [10, 10],
      [10.5, 11],
    ] as const) {
      expect(linesOf(seconds)).toEqual([{ class: "seconds", quantity, rate: 100_000_000_000n }])
    }
    expect(linesOf(0)).toEqual([])
  })

  test("rejects a minimum that is not a whole number from 1 to 3600", () => {
    for (const minimum_seconds of ["0", "0.5", "3601", "-1", "many"]) {
      expect(() => parsePrice({ second: "1", minimum_seconds }, "1")).toThrow(RangeError)
    }
  })
})
