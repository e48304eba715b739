import { describe, expect, test } from "bun:test"
import { commaFault } from "tollgate-contract/comma.ts"
import { isLargeEntry, multiplierDoubt, readAmount } from "tollgate-contract/amounts.ts"

const CREDIT = 1_000_000_000n

describe("the parser of typed amounts", () => {
  test.each([
    ["1,234.50", "1234.50"],
    ["1,500", "1500"],
    ["12,345,678.000000001", "12345678.000000001"],
    ["1 500", "1500"],
    ["1\u00a0500", "1500"],
    ["1_000_000", "1000000"],
    [" 12 ", "12"],
    ["1.500", "1.500"],
    ["+3", "3"],
    ["−2.5", "-2.5"],
    ["-1,000", "-1000"],
    ["0.15", "0.15"],
  ])("reads '%s' as %s", (typed, amount) => {
    expect(readAmount(typed)).toEqual({ amount })
  })

  test.each([
    ["1,50", "write 1.50"],
    ["2,5", "write 2.5"],
    ["-1,5", "write 1.5"],
    ["0,150", "write 0.150"],
    ["1,2345", "write 1.2345"],
    ["1234,500", "write 1234.500"],
    ["1.234,50", "write 1234.50"],
    ["12,34,567", "such as 1.50"],
    ["1,500,00", "such as 1.50"],
    [",5", "such as 1.50"],
  ])("rejects '%s' with a correction: %s", (typed, words) => {
    const reading = readAmount(typed)
    expect("fault" in reading && reading.fault).toContain(words)
  })

  test.each(["", "ten", "1e3", ".5", "5.", "1 5", "1_0", "1,000 000", "$5", "--5", "1.2.3"])(
    "rejects '%s'",
    (typed) => {
      expect(readAmount(typed)).toHaveProperty("fault")
    },
  )

  test("accepts at most as many digits as the API", () => {
    expect(readAmount("1234567890")).toEqual({ fault: "Enter at most 9 digits before the point" })
    expect(readAmount("1.0000000001")).toEqual({ fault: "Enter at most 9 digits after the point" })
    expect(readAmount("1234567890", { whole: 12, fraction: 12 })).toEqual({ amount: "1234567890" })
  })
})

test("a comma in a decimal text is rejected, even between thousands", () => {
  expect(commaFault("1,500")).toContain("write 1500")
  expect(commaFault("1,50")).toContain("write 1.50")
  expect(commaFault("1.50")).toBeUndefined()
  expect(commaFault("ten, or so")).toBeUndefined()
})

test.each([
  [1_000n * CREDIT, 1_000n * CREDIT, false],
  [1_000n * CREDIT + 1n, 10_000n * CREDIT, true],
  [-2_000n * CREDIT, 10_000n * CREDIT, true],
  [100n * CREDIT, 5n * CREDIT, false],
  [100n * CREDIT + 1n, 5n * CREDIT, true],
  [150n * CREDIT, 15n * CREDIT, false],
  [150n * CREDIT + 1n, 15n * CREDIT, true],
  [50n * CREDIT, 1n, false],
  [500n * CREDIT, 0n, false],
  [-150n * CREDIT, 5n * CREDIT, false],
])("an entry of %p into a balance of %p requires confirmation: %p", (amount, balance, isLarge) => {
  expect(isLargeEntry(amount, balance)).toBe(isLarge)
})

test.each([
  ["0", true],
  ["0.000", true],
  ["0.5", false],
  ["1.2", false],
  ["100", false],
  ["100.0", false],
  ["100.01", true],
  ["1000000", true],
])("a multiplier of %s requires confirmation: %p", (multiplier, doubts) => {
  expect(multiplierDoubt(multiplier) !== undefined).toBe(doubts)
})
