import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { plainDecimal } from "tollgate-contract/decimal.ts"
import { amountFault } from "../../src/config/scalars.ts"
import { parseDuration } from "../../src/config/duration.ts"
import { nearestName } from "../../src/config/nearest.ts"
import { parseCredits } from "../../src/ledger/money.ts"
import { load } from "./harness.ts"

describe("plainDecimal", () => {
  const cases: Record<string, string | undefined> = {
    "0.10": "0.10",
    "15": "15",
    "1e-7": "0.0000001",
    "2.5E-6": "0.0000025",
    "1.5e3": "1500",
    "12.345e1": "123.45",
    "1e0": "1",
    "+3": "3",
    ".5": "0.5",
    "5.": "5",
    "007": "7",
    "-1": "-1",
    " 2 ": "2",
    "": undefined,
    ".": undefined,
    e5: undefined,
    "1,5": undefined,
    "0x10": undefined,
    ".nan": undefined,
    Infinity: undefined,
  }
  for (const [text, expected] of Object.entries(cases)) {
    test(`accepts '${text}' only if it is a decimal number`, () =>
      expect(plainDecimal(text)).toBe(expected))
  }

  test("converts a number with an exponent without changing its value", () => {
    const whole = fc.bigInt({ min: 0n, max: 10n ** 12n })
    fc.assert(
      fc.property(whole, fc.integer({ min: -9, max: 0 }), (digits, exponent) => {
        const plain = plainDecimal(`${digits}e${exponent}`)
        expect(parseCredits(plain ?? "")).toBe(digits * 10n ** BigInt(9 + exponent))
      }),
    )
  })
})

test("trailing zeros do not count as decimal places", () => {
  expect(amountFault("0.100000000000", 9)).toBeUndefined()
  expect(amountFault("0.1000000001", 9)).toBeDefined()
  expect(amountFault("999999999", 9)).toBeUndefined()
  expect(amountFault("1000000000", 9)).toBeDefined()
})

test("amounts keep all their digits, quoted or not", () => {
  const amount = fc
    .tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.stringMatching(/^[0-9]{1,9}$/))
    .map(([whole, fraction]) => `${whole}.${fraction}`)
  fc.assert(
    fc.property(amount, fc.constantFrom("", '"', "'"), (text, quote) => {
      const { settings } = load(
        `providers: { a: { vendor: ollama } }\nmodels: { a/b: { price: { input: ${quote}${text}${quote} } } }`,
      )
      expect(settings.models["a/b"]?.price?.input).toBe(text)
    }),
    { numRuns: 40 },
  )
  const { settings } = load(
    "multiplier: 1e-3\nproviders: { a: { vendor: ollama } }\nmodels: { a/b: { price: { input: 1e-7, output: 0.1234567890 } } }",
  )
  expect(settings.multiplier).toBe("0.001")
  expect(settings.models["a/b"]?.price).toEqual({ input: "0.0000001", output: "0.1234567890" })
})

test("durations are parsed from text with a unit", () => {
  expect(parseDuration("500ms")).toBe(500)
  expect(parseDuration("1.5 s")).toBe(1_500)
  expect(parseDuration("5m")).toBe(300_000)
  expect(parseDuration("24h")).toBe(86_400_000)
  expect(parseDuration("30d")).toBe(2_592_000_000)
  for (const text of ["", "10", "s", "-1s", "1w", "1e3s", `${"9".repeat(30)}d`]) {
    expect(parseDuration(text)).toBeUndefined()
  }
})

test("the nearest name is suggested for a misspelled name", () => {
  const known = ["api_key", "base_url", "headers", "port", "host"]
  expect(nearestName("apikey", known)).toBe("api_key")
  expect(nearestName("API_KEY", known)).toBe("api_key")
  expect(nearestName("prot", known)).toBe("port")
  expect(nearestName("pot", known)).toBe("port")
  expect(nearestName("base_urls", known)).toBe("base_url")
  expect(nearestName("colour", known)).toBeUndefined()
  expect(nearestName("", known)).toBeUndefined()
})
