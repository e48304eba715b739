import { describe, expect, test } from "bun:test"
import { InvalidArgumentError } from "commander"
import * as fc from "fast-check"
import {
  creditsArgument,
  durationArgument,
  listArgument,
  positiveIntegerArgument,
} from "../../src/cli/parse.ts"

function expectRejected(parse: (text: string) => unknown, texts: readonly string[], hint: string) {
  for (const text of texts) {
    expect(() => parse(text)).toThrow(InvalidArgumentError)
    expect(() => parse(text)).toThrow(hint)
  }
}

describe("the credits argument parser", () => {
  test("reads amounts exactly", () => {
    expect(creditsArgument("10")).toBe(10_000_000_000n)
    expect(creditsArgument("0.5")).toBe(500_000_000n)
    expect(creditsArgument("0.000000001")).toBe(1n)
    expect(creditsArgument("1000000000")).toBe(10n ** 18n)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999_999 }),
        fc.stringMatching(/^[0-9]{9}$/),
        (whole, fraction) => {
          fc.pre(whole > 0 || Number(fraction) > 0)
          expect(creditsArgument(`${whole}.${fraction}`)).toBe(BigInt(`${whole}${fraction}`))
        },
      ),
    )
  })

  test("rejects invalid amounts", () => {
    const texts = ["", "ten", "1e3", "$5", ".5", "0.0000000001", "Infinity"]
    expectRejected(creditsArgument, texts, "must be credits such as 10 or 0.5")
    expectRejected(creditsArgument, ["1,5", "1,50"], "write 1.5")
    expectRejected(creditsArgument, ["1,500"], "write 1500.")
    expectRejected(creditsArgument, ["0", "0.0", "-1"], "must be above 0")
    expectRejected(creditsArgument, ["1000000000.1", "9".repeat(40)], "must be at most 1000000000")
  })
})

test("the duration argument parser accepts positive numbers with a unit", () => {
  expect(durationArgument("30d")).toBe(2_592_000_000)
  expect(durationArgument("24h")).toBe(86_400_000)
  expect(durationArgument("15m")).toBe(900_000)
  expect(durationArgument("90s")).toBe(90_000)
  expectRejected(
    durationArgument,
    ["", "30", "0d", "-1d", "soon", "1y"],
    "such as 30d, 24h, 15m or 90s",
  )
})

test("the list argument parser accepts entries separated by single commas", () => {
  expect(listArgument("openai/*")).toEqual(["openai/*"])
  expect(listArgument(" a , b,a")).toEqual(["a", "b"])
  expectRejected(listArgument, ["", ",", "a,,b", "a,"], "one comma between")
})

test("the number argument parser accepts only positive whole numbers", () => {
  expect(positiveIntegerArgument("1")).toBe(1)
  expect(positiveIntegerArgument("60000")).toBe(60_000)
  const texts = ["", "0", "-1", "1.5", "1e3", "0x10", "x", "9007199254740993"]
  expectRejected(positiveIntegerArgument, texts, "must be a whole number, at least 1")
})
