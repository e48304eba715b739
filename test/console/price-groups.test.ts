import { expect, test } from "bun:test"
import type { PriceGroup, PriceTerm } from "tollgate-contract/price-groups.ts"
import {
  emptyCard,
  emptyTerm,
  groupValuesOf,
  hasBegun,
  termsBodyOf,
  termsDoubt,
  termsFault,
  termText,
  type TermValues,
} from "../../console/src/pages/price-groups/group-values.ts"

const BEGUN: PriceTerm = {
  from: "2026-11-01T10:20:30.456Z",
  state: "active",
  multiplier: "0.9",
  prices: { "openai/gpt-5": { input: "1", tiers: [{ above: 1000, input: "2" }] } },
}
const UPCOMING: PriceTerm = { ...BEGUN, from: "2099-01-01T10:20:30.456Z", state: "upcoming" }
const GROUP: PriceGroup = {
  id: "partners",
  name: null,
  terms: [BEGUN, UPCOMING],
  members: 0,
  origin: "console",
  is_locked: false,
  problems: [],
}

function term(part: Partial<TermValues>): TermValues {
  return { ...emptyTerm(), ...part }
}

test("the price group form returns unchanged values, to the millisecond", () => {
  const { terms } = groupValuesOf(GROUP)
  expect(terms.map(hasBegun)).toEqual([true, false])
  expect(termsBodyOf(terms)).toEqual(
    GROUP.terms.map(({ from, multiplier, prices }) => ({ from, multiplier, prices })),
  )
})

test("a price group term that has started cannot be changed", () => {
  const [begun] = groupValuesOf(GROUP).terms
  const changed = { ...begun, multiplier: "5", prices: [], from: "" } as TermValues
  expect(termsBodyOf([changed])[0]).toMatchObject({ from: BEGUN.from, multiplier: "0.9" })
})

test("a price group term without a time starts now, and an empty multiplier stays empty", () => {
  expect(termsBodyOf([emptyTerm()])).toEqual([{ multiplier: null, prices: {} }])
})

test("invalid price group terms are reported before they are sent", () => {
  const card = (model: string, input: string) => ({ ...emptyCard(), model, typed: { input } })
  expect(termsFault([term({ multiplier: "0,9" })])).toStartWith("Multiplier: ")
  expect(termsFault([term({ prices: [card(" ", "1")] })])).toContain("Name the model")
  expect(termsFault([term({ prices: [card("a/b", "x")] })])).toContain("the prices of a/b")
  expect(termsFault([term({ prices: [card("a/b", "")] })])).toContain("the prices of a/b")
  const twice = [card("a/b", "1"), card("a/b ", "2")]
  expect(termsFault([term({ prices: twice })])).toContain("only once")
  expect(termsFault([term({ multiplier: "0.9", prices: [card("a/b", "1")] })])).toBeUndefined()
})

test("a multiplier of 0 or a very large one requires confirmation, unless it is already active", () => {
  expect(termsDoubt([term({ multiplier: "0" })])).toContain("costs nothing")
  expect(termsDoubt([term({ multiplier: "101" })])).toContain("101 times")
  expect(termsDoubt([term({ multiplier: "0", given: BEGUN }), term({})])).toBeUndefined()
})

test("a price group term is shown with the prices that members pay", () => {
  expect(termText(undefined)).toBe("Standard prices")
  expect(termText({ ...BEGUN, prices: {} })).toBe("× 0.9")
  expect(termText(BEGUN)).toBe("Rate card of 1 price, otherwise × 0.9")
  expect(termText({ ...BEGUN, multiplier: null })).toBe("Rate card of 1 price")
})
