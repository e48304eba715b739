import { describe, expect, test } from "bun:test"
import type { Dispute } from "../../price-data/consensus.ts"
import { fillFromMakers, resellers } from "../../price-data/passed-on.ts"
import { addSchedules } from "../../price-data/scheduled.ts"
import type { Facts, ModelFacts, Price } from "../../price-data/shape.ts"
import { facts as shipped } from "./known-facts.ts"

const DATES = { "models.dev": "2026-09-30", LiteLLM: "2026-11-27" }

function model(owner: string, price: Price, priced?: string): ModelFacts {
  return { kind: "chat", owner, price, ...(priced !== undefined && { priced }) }
}

function table(vendors: Record<string, Record<string, ModelFacts>>): Facts {
  const lists = Object.entries(DATES)
  return {
    date: "2026-11-27",
    generated_from: lists.map(([name, date]) => ({ name, package: name, date })),
    services: {},
    vendors,
  }
}

/** Returns the price of a reseller's model after the maker's price has been added to it. */
function completed(
  name: string,
  price: Price,
  made: Price,
  disputes: Dispute[] = [],
): Price | undefined {
  const facts = table({
    anthropic: { "claude-x-1-5": model("anthropic", made) },
    vercel: { [name]: model("anthropic", price) },
  })
  fillFromMakers(facts, disputes)
  return facts.vendors["vercel"]?.[name]?.price
}

describe("a reseller that charges the maker's price", () => {
  const base = { input: "3", cached_input: "0.3", output: "15" }
  const tiers = [{ above: 200_000, input: "6", cached_input: "0.6", output: "22.5" }]

  test("gets the maker's tiers if names differ in dots, dashes, case, prefix and region", () => {
    for (const name of ["claude-x-1.5", "anthropic/claude-x-1.5", "CLAUDE-X-1-5@eu"]) {
      expect(completed(name, base, { ...base, tiers })).toEqual({ ...base, tiers })
    }
  })

  test("gets the maker's prices of audio and images, with its own surcharge", () => {
    const made = { ...base, audio_input: "6", cached_audio_input: "0.6", image_input: "4" }
    expect(completed("claude-x-1.5", base, made)).toEqual(made)
    const surcharged = { input: "3.3", cached_input: "0.33", output: "16.5" }
    const parts = { audio_input: "6.6", cached_audio_input: "0.66", image_input: "4.4" }
    expect(completed("claude-x-1.5@eu", surcharged, made)).toEqual({ ...surcharged, ...parts })
  })

  test("keeps a price without a discount for cache reads", () => {
    const { cached_input: _, ...uncached } = base
    const made = { ...base, audio_input: "6", cached_audio_input: "0.6" }
    expect(completed("claude-x-1.5", uncached, made)).toEqual({ ...uncached, audio_input: "6" })
  })

  test("loses its tiers only if the maker's price without tiers is newer", () => {
    const priceOf = (price: Price, [own, makers]: readonly [string, string]) => {
      const vendors = {
        anthropic: { "claude-x-1-5": model("anthropic", base, makers) },
        vercel: { "claude-x-1.5": model("anthropic", price, own) },
      }
      fillFromMakers(table(vendors), [])
      return vendors.vercel["claude-x-1.5"].price
    }
    const newer = ["2026-09-30", "2026-11-27"] as const
    expect(priceOf({ ...base, tiers }, newer)).toEqual(base)
    expect(priceOf({ ...base, tiers }, ["2026-11-27", "2026-11-27"])).toEqual({ ...base, tiers })
    const own = { ...base, output: "14", tiers }
    expect(priceOf(own, newer)).toEqual(own)
  })

  test("gets nothing if its price has another ratio of input and output", () => {
    const own = { input: "3", output: "14" }
    expect(completed("claude-x-1.5", own, { ...base, audio_input: "6", tiers })).toEqual(own)
  })

  describe("in a list that is older than the maker's price of cache reads", () => {
    const made = { ...base, cached_input: "0.15" }
    const dispute = (model: string, values: Dispute["values"], chosen: string): Dispute => {
      return { model, class: "cached_input", values, chosen, rule: "highest" }
    }
    const changed = (): Dispute =>
      dispute("anthropic/claude-x-1-5", { "models.dev": "0.3", LiteLLM: "0.15" }, "0.15")

    test("gets the maker's new price, and the list of disputes names the rule", () => {
      const own = dispute("vercel/claude-x-1.5", { "models.dev": "0.3", LiteLLM: "0.15" }, "0.3")
      const disputes = [changed(), own]
      expect(completed("claude-x-1.5", base, made, disputes)).toEqual(made)
      expect(own).toMatchObject({ chosen: "0.15", rule: "maker" })
      const eu = { input: "3.3", cached_input: "0.33", output: "16.5" }
      expect(completed("claude-x-1.5@eu", eu, made, [changed()])).toEqual({
        ...eu,
        cached_input: "0.165",
      })
    })

    test("keeps a price that the maker never charged", () => {
      const own = { ...base, cached_input: "3" }
      expect(completed("claude-x-1.5", own, made, [changed()])).toEqual(own)
    })

    test("keeps its price if the maker's newer list has that price", () => {
      const older = dispute(
        "anthropic/claude-x-1-5",
        { "models.dev": "0.15", LiteLLM: "0.3" },
        "0.15",
      )
      expect(completed("claude-x-1.5", base, made, [older])).toEqual(base)
    })
  })
})

describe("an introductory price of Google", () => {
  const later = { from: "2027-01-01", input: "1.5", output: "7.5", audio_input: "1.5" }

  function scheduled(price: Price): { price: Price; unmatched: string[] } {
    const facts = table({
      google: { "gemini-3.8-flash": model("google", { input: "1.5", output: "7.5" }) },
      requesty: { "gemini-3.8-flash@eu": model("google", price) },
    })
    return { unmatched: addSchedules(facts), price }
  }

  test("ends at a reseller on the same day, even if Google's list has the later price", () => {
    const { price } = scheduled({ input: "0.75", cache_write: "0.8", output: "3.75" })
    expect(price.periods).toMatchObject([{ ...later, cache_write: "1.6" }])
  })

  test("ends with the surcharge of the reseller", () => {
    const { price } = scheduled({ input: "0.825", output: "4.125" })
    expect(price.periods).toMatchObject([{ input: "1.65", output: "8.25", audio_input: "1.65" }])
  })

  test("does not end at a reseller that has the later price or another price", () => {
    for (const price of [
      { input: "1.5", output: "7.5" },
      { input: "1.65", output: "8.25" },
      { input: "0.75", output: "3" },
    ]) {
      const { price: kept, unmatched } = scheduled({ ...price })
      expect(kept).toEqual(price)
      expect(unmatched).toContain("requesty/gemini-3.8-flash@eu")
    }
  })
})

describe("the shipped prices of resellers", () => {
  const priceOf = (id: string) => {
    const slash = id.indexOf("/")
    return shipped.vendors[id.slice(0, slash)]?.[id.slice(slash + 1)]?.price
  }

  test("rise when the introductory prices of Google end", () => {
    for (const vendor of resellers) {
      for (const [name, { price }] of Object.entries(shipped.vendors[vendor] ?? {})) {
        if (!/gemini-(3\.[678]-flash|flash-latest|4-argon)(@eu)?$/.test(name)) continue
        const isIntroductory = ["0.75", "0.825", "2"].includes(price?.input ?? "")
        const periods = isIntroductory ? 1 : undefined
        expect([vendor, name, price?.periods?.length]).toEqual([vendor, name, periods])
      }
    }
    expect(priceOf("openrouter/google/gemini-4-argon")?.periods).toMatchObject([
      { from: "2026-12-01", input: "4", cached_input: "0.2", output: "20" },
    ])
    expect(priceOf("vercel/google/gemini-3.8-flash")?.periods).toMatchObject([
      { from: "2027-01-01", input: "1.5", output: "7.5", audio_input: "1.5" },
    ])
  })

  test("have Google's prices of audio", () => {
    for (const id of ["vercel/google/gemini-2.5-flash-lite", "requesty/gemini-2.5-flash-lite@eu"]) {
      expect(priceOf(id)).toMatchObject({ audio_input: "0.3", cached_audio_input: "0.03" })
    }
    for (const id of [
      "requesty/gemini-3.1-flash-lite",
      "vercel/google/gemini-3.1-flash-lite",
      "openrouter/google/gemini-3.1-flash-lite-preview",
    ]) {
      expect(priceOf(id)).toMatchObject({ audio_input: "0.5", cached_audio_input: "0.05" })
    }
    expect(priceOf("vercel/google/gemini-2.5-flash")?.cached_audio_input).toBe("0.1")
    expect(priceOf("requesty/gemini-2.5-flash@eu")?.audio_input).toBe("1")
  })

  test("have Anthropic's prices of cache reads and of long prompts", () => {
    for (const id of [
      "openrouter/anthropic/claude-sonnet-5.5",
      "vercel/anthropic/claude-sonnet-5.5",
    ]) {
      expect(priceOf(id)?.cached_input).toBe("0.1")
    }
    expect(priceOf("requesty/claude-sonnet-5-5@eu")?.cached_input).toBe("0.11")
    expect(priceOf("vercel/anthropic/claude-sonnet-4.5")?.tiers).toMatchObject([
      { above: 200_000, input: "6", output: "22.5" },
    ])
    for (const name of ["claude-sonnet-4.6", "claude-sonnet-5.5", "claude-opus-4.6"]) {
      expect(priceOf(`vercel/anthropic/${name}`)?.tiers).toBeUndefined()
    }
  })
})
