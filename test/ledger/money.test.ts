import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { divideUp, formatDecimal, parseDecimal, plainDecimal } from "tollgate-contract/decimal.ts"
import { formatCredits, NANOCREDITS, parseCredits } from "../../src/ledger/money.ts"

const anyAmount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })

describe("credits as text", () => {
  test("do not change when formatted and parsed", () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        expect(parseCredits(formatCredits(amount))).toBe(amount)
      }),
    )
  })

  test("have the shortest decimal form without an exponent", () => {
    fc.assert(
      fc.property(anyAmount, (amount) => {
        expect(formatCredits(amount)).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?)$/)
      }),
    )
  })

  test.each([
    [0n, "0"],
    [1n, "0.000000001"],
    [-1n, "-0.000000001"],
    [12_500n, "0.0000125"],
    [NANOCREDITS, "1"],
    [10n * NANOCREDITS, "10"],
    [-15n * NANOCREDITS - 500_000_000n, "-15.5"],
  ])("have a decimal form without an exponent: %p is formatted as %p", (amount, text) => {
    expect(formatCredits(amount)).toBe(text)
    expect(parseCredits(text)).toBe(amount)
  })

  test("may contain additional zeros and spaces", () => {
    expect(parseCredits(" 007.500000000000 ")).toBe(7_500_000_000n)
    expect(parseCredits("-0")).toBe(0n)
  })

  test.each([
    "",
    " ",
    ".",
    "1.",
    ".5",
    "1e3",
    "+1",
    "--1",
    "1,5",
    "1_000",
    "0x10",
    "NaN",
    "1 2",
    "١",
  ])("cause an error if they are invalid: %p", (text) => {
    expect(() => parseCredits(text)).toThrow(RangeError)
  })

  test("cause an error if they would have to be rounded", () => {
    expect(() => parseCredits("0.0000000001")).toThrow("more than 9 digits")
    expect(() => parseDecimal("1.2345678", 6)).toThrow("more than 6 digits")
    expect(parseDecimal("1.234567", 6)).toBe(1_234_567n)
  })
})

test("division that rounds up returns the smallest integer not below the quotient", () => {
  const numerators = fc.bigInt({ min: 0n, max: 10n ** 40n })
  const denominators = fc.bigInt({ min: 1n, max: 10n ** 20n })
  fc.assert(
    fc.property(numerators, denominators, (numerator, denominator) => {
      const quotient = divideUp(numerator, denominator)
      expect(quotient * denominator >= numerator).toBe(true)
      expect((quotient - 1n) * denominator < numerator).toBe(true)
    }),
  )
})

describe("decimals with any number of digits", () => {
  const places = fc.integer({ min: 0, max: 30 })

  test("do not change when formatted and parsed", () => {
    fc.assert(
      fc.property(anyAmount, places, (value, digits) => {
        expect(parseDecimal(formatDecimal(value, digits), digits)).toBe(value)
      }),
    )
  })

  test("have the same text with and without trailing zeros", () => {
    fc.assert(
      fc.property(anyAmount, places, places, (value, digits, zeros) => {
        const padded = value * 10n ** BigInt(zeros)
        expect(formatDecimal(padded, digits + zeros)).toBe(formatDecimal(value, digits))
      }),
    )
  })

  test("keep all digits around the largest exact number", () => {
    const exact = BigInt(Number.MAX_SAFE_INTEGER)
    for (const value of [exact - 1n, exact, exact + 1n, exact + 2n, 10n * exact]) {
      for (const digits of [0, 1, 9, 15, 16, 20]) {
        expect(parseDecimal(formatDecimal(value, digits), digits)).toBe(value)
      }
    }
  })

  test("stay unchanged if they contain no exponent", () => {
    fc.assert(
      fc.property(anyAmount, places, (value, digits) => {
        const text = formatDecimal(value, digits)
        expect(plainDecimal(text)).toBe(text)
      }),
    )
  })
})
