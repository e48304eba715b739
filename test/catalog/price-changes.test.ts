import { describe, expect, test } from "bun:test"
import type { Facts, PriceFacts, ServiceFacts } from "../../src/catalog/facts.ts"
import { priceChanges, withIncreases } from "../../src/catalog/prices/changes.ts"

type Mode = NonNullable<PriceFacts["modes"]>[string]

function list(models: Record<string, PriceFacts | undefined>, services: ServiceFacts = {}): Facts {
  const entries = Object.entries(models).map(([name, price]) => {
    return [name, { kind: "chat", ...(price && { price }) }] as const
  })
  return {
    generated_from: [],
    services: { acme: services },
    vendors: { acme: Object.fromEntries(entries) },
  }
}

function kinds(before: Facts, after: Facts): Record<string, string> {
  const changes = priceChanges(before, after)
  return Object.fromEntries(changes.map(({ model, kind }) => [model ?? "services", kind]))
}

describe("price changes between two lists", () => {
  test("appear by model, with the values before and after", () => {
    const before = list({ a: { input: "1", output: "2" }, b: { input: "1" }, gone: { input: "1" } })
    const after = list({
      a: { input: "1.0", output: "2.5" },
      b: { input: "1" },
      fresh: { input: "3" },
    })
    expect(priceChanges(before, after)).toEqual([
      {
        vendor: "acme",
        model: "a",
        kind: "increased",
        parts: [{ name: "output", before: "2", after: "2.5" }],
      },
      {
        vendor: "acme",
        model: "fresh",
        kind: "added",
        parts: [{ name: "input", before: null, after: "3" }],
      },
      {
        vendor: "acme",
        model: "gone",
        kind: "removed",
        parts: [{ name: "input", before: "1", after: null }],
      },
    ])
    expect(priceChanges(before, before)).toEqual([])
  })

  test("count as an increase if one rate rises, even if others fall", () => {
    const before = list({ a: { input: "2", output: "2" } })
    expect(kinds(before, list({ a: { input: "1", output: "2.1" } }))).toEqual({ a: "increased" })
    expect(kinds(before, list({ a: { input: "1", output: "2" } }))).toEqual({ a: "decreased" })
  })

  test("include a new or longer minimum of seconds as an increase", () => {
    const withMinimum = (minimum_seconds?: string) =>
      list({ a: { second: "1", ...(minimum_seconds !== undefined && { minimum_seconds }) } })
    expect(kinds(withMinimum(), withMinimum("10"))).toEqual({ a: "increased" })
    expect(kinds(withMinimum("10"), withMinimum("15"))).toEqual({ a: "increased" })
    expect(kinds(withMinimum("10"), withMinimum())).toEqual({ a: "decreased" })
  })

  test("compare a removed class, tier or mode with the rate that applies instead", () => {
    const cached = { input: "2", cached_input: "0.5", output: "2" }
    expect(kinds(list({ a: cached }), list({ a: { input: "2", output: "2" } }))).toEqual({
      a: "increased",
    })
    const tiered = { input: "2", tiers: [{ above: 1000, input: "4" }] }
    expect(kinds(list({ a: tiered }), list({ a: { input: "2" } }))).toEqual({ a: "decreased" })
    expect(kinds(list({ a: { input: "2" } }), list({ a: tiered }))).toEqual({ a: "increased" })
    const flex = { input: "2", modes: { flex: "0.5" } }
    expect(kinds(list({ a: flex }), list({ a: { input: "2" } }))).toEqual({ a: "increased" })
  })

  test("include services as well as models", () => {
    expect(kinds(list({}, { search: "1" }), list({}, { search: "2" }))).toEqual({
      services: "increased",
    })
  })

  test("can include models with the names of inherited object members", () => {
    const after = list({ constructor: { input: "1" } })
    expect(kinds(list({}), after)).toEqual({ constructor: "added" })
  })
})

describe("a price list to which only increases are applied", () => {
  const before = list(
    { up: { input: "1", output: "9" }, down: { input: "1" }, gone: { input: "1" } },
    { search: "1", file_search: "5" },
  )
  const after = list(
    { up: { input: "2", output: "8" }, down: { input: "0.5" }, fresh: { input: "1" } },
    { search: "2", file_search: "4" },
  )

  test("contains all rates of increased prices, and all other prices unchanged", () => {
    const taken = withIncreases(before, after)
    expect(taken.vendors["acme"]).toEqual({
      up: { kind: "chat", price: { input: "2", output: "8" } },
      down: { kind: "chat", price: { input: "1" } },
      gone: { kind: "chat", price: { input: "1" } },
    })
    expect(taken.services?.["acme"]).toEqual({ search: "2", file_search: "4" })
    // The previous catalog stays unchanged, because running requests use it.
    expect(before.vendors["acme"]?.["up"]?.price?.["input"]).toBe("1")
  })

  test("excludes all other changes, which require a review", () => {
    expect(kinds(withIncreases(before, after), after)).toEqual({
      down: "decreased",
      fresh: "added",
      gone: "removed",
    })
  })
})

describe("price changes of modes with their own rates", () => {
  const at = (flex: Mode): Facts => list({ a: { input: "1", output: "4", modes: { flex } } })
  const own: Mode = { input: "0.5", output: "4", tiers: [{ above: 1000, input: "0.8" }] }

  test("appear by class and tier", () => {
    expect(priceChanges(at("1"), at(own))).toEqual([
      {
        vendor: "acme",
        model: "a",
        kind: "decreased",
        parts: [
          { name: "mode flex: input", before: null, after: "0.5" },
          { name: "mode flex: output", before: null, after: "4" },
          { name: "mode flex: input above 1000", before: null, after: "0.8" },
        ],
      },
    ])
    expect(kinds(at(own), at("1"))).toEqual({ a: "increased" })
    expect(kinds(at("0.5"), at(own))).toEqual({ a: "increased" })
    expect(kinds(at(own), at({ ...own, output: "4.1" }))).toEqual({ a: "increased" })
    expect(kinds(at(own), at({ ...own, output: "3" }))).toEqual({ a: "decreased" })
    expect(priceChanges(at(own), at({ ...own }))).toEqual([])
  })
})

describe("price changes of periods", () => {
  const peak = (input: string, hours = ["09:00-12:00"]) => ({ name: "peak", hours, input })
  const at = (...periods: object[]): Facts =>
    list({ a: { input: "1", output: "2", periods: periods as never } })

  test("name the changed period", () => {
    expect(priceChanges(at(peak("2")), at(peak("3")))).toEqual([
      {
        vendor: "acme",
        model: "a",
        kind: "increased",
        parts: [{ name: "input in peak (09:00-12:00 UTC)", before: "2", after: "3" }],
      },
    ])
    expect(priceChanges(at(peak("2")), at(peak("2")))).toEqual([])
  })

  test("compare an added, removed or moved period with the price outside of periods", () => {
    const flat = list({ a: { input: "1", output: "2" } })
    expect(kinds(flat, at(peak("2")))).toEqual({ a: "increased" })
    expect(kinds(flat, at(peak("0.5")))).toEqual({ a: "decreased" })
    expect(kinds(at(peak("2")), flat)).toEqual({ a: "decreased" })
    expect(kinds(at(peak("2")), at(peak("2", ["09:00-13:00"])))).toEqual({ a: "increased" })
    const mode = { from: "2027-01-01", modes: { fast: "3" } }
    expect(kinds(flat, at(mode))).toEqual({ a: "increased" })
  })

  test("list only the changed rate of a mode in a period", () => {
    const flex = (output: string) => ({
      ...peak("2"),
      output: "2",
      modes: { flex: { input: "1", output } },
    })
    expect(priceChanges(at(flex("1.5")), at(flex("1.8")))).toEqual([
      {
        vendor: "acme",
        model: "a",
        kind: "increased",
        parts: [
          {
            name: "mode flex: output in peak (09:00-12:00 UTC)",
            before: "1.5",
            after: "1.8",
          },
        ],
      },
    ])
  })
})
