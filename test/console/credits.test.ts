import { describe, expect, test } from "bun:test"
import {
  creditsText,
  nanos,
  nanosText,
  readCredits,
  shortCredits,
  spentOf,
  usedShare,
} from "../../console/src/format/credits.ts"

describe("credits in the console", () => {
  test.each([
    ["0", "0.00"],
    ["12.5", "12.50"],
    ["1234567.1", "1,234,567.10"],
    ["-0.000000001", "−0.000000001"],
    ["999999999.999999999", "999,999,999.999999999"],
    ["-1200", "−1,200.00"],
  ])("appear in full: %s as %s", (exact, shown) => {
    expect(creditsText(exact)).toBe(shown)
  })

  test.each([
    ["13.49979315", 4, "13.4997"],
    ["12.5", 4, "12.50"],
    ["0.00000165", 4, "0.0000016"],
    ["0.0001404", 4, "0.00014"],
    ["0.000000001", 4, "0.000000001"],
    ["0.123456", 2, "0.12"],
    ["-0.00000165", 6, "−0.0000016"],
    ["0", 4, "0.00"],
  ])(
    "have a short form that never shows small amounts as zero: %s with %i decimals is %s",
    (exact, decimals, shown) => {
      expect(shortCredits(exact, decimals)).toBe(shown)
    },
  )

  test("have exact differences, computed without floats", () => {
    expect(spentOf("0.3", "0.1")).toBe("0.2")
    expect(spentOf("999999999.999999999", "0.000000001")).toBe("999999999.999999998")
  })

  test("convert to nanocredits and back", () => {
    for (const text of ["0", "1", "-1", "0.000000001", "-12.000000005", "999999999.999999999"]) {
      expect(nanosText(nanos(text))).toBe(text)
    }
  })

  test.each([
    ["1,234.50", "1234.50"],
    [" 12 ", "12"],
    ["+3", "3"],
    ["−2.5", "-2.5"],
    ["1e3", undefined],
    ["12.0000000001", undefined],
    ["", undefined],
    [".5", undefined],
    ["1234567890", undefined],
  ])("are parsed from typed text: '%s' as %p", (typed, read) => {
    expect(readCredits(typed)).toBe(read)
  })

  test("have a bar that never exceeds its full width", () => {
    expect(usedShare("10", "2.5")).toBe(0.75)
    expect(usedShare("10", "12")).toBe(0)
    expect(usedShare("10", "-1")).toBe(1)
    expect(usedShare("0", "0")).toBe(1)
  })
})
