import { describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../src/config/settings.ts"
import { build, provider, settings } from "./support.ts"

describe("a provider in the settings", () => {
  const line = (found: string) =>
    `provider local: has no models (${found}), so it is never called. List them under 'models' with a price, such as local/NAME.`

  test("causes a warning with the remedy if no model uses it", () => {
    const unknown = build(settings({ local: provider("free") }))
    expect(unknown.warnings).toEqual([line("no models of vendor 'free' are known")])
    expect(unknown.catalog.withoutModels).toEqual(unknown.warnings)
    const off = build(settings({ local: { ...provider("acme"), knownModels: false } }))
    expect(off.warnings).toEqual([line("known_models is false")])
  })

  test("causes no warning if a model, a deployment or callers use it", () => {
    const providers = { local: provider("free") }
    const price = { input: "1", output: "1" }
    const models: Record<string, ModelSettings>[] = [
      { "local/x": { price } },
      { "pool/x": { price, deployments: [{ provider: "local", model: "x", weight: 1 }] } },
    ]
    for (const each of models) expect(build(settings(providers, each)).warnings).toEqual([])
    const open = build({ ...settings(providers), unknownModels: { price } })
    expect(open.warnings).toEqual([])
  })
})

describe("the currency of credits", () => {
  const stripe = (currency: string) => ({ secretKey: "k", webhookSecret: "w", currency })
  const warningsOf = (
    currency: string,
    multiplier: string,
    providers = { mine: provider("acme") },
  ) =>
    build({ ...settings(providers, {}, multiplier), stripe: stripe(currency) }).warnings.filter(
      (warning) => warning.startsWith("stripe.currency"),
    )

  test("causes a warning if known prices in dollars are charged without conversion", () => {
    expect(warningsOf("jpy", "1.0")).toEqual([
      "stripe.currency: one credit is sold for 1 JPY, but the known prices are in US dollars and 'multiplier' is 1. " +
        "Set multiplier to the price of one dollar in JPY, plus your margin.",
    ])
  })

  test("causes no warning for dollars, with a multiplier, or without known prices", () => {
    expect(warningsOf("usd", "1")).toEqual([])
    expect(warningsOf("jpy", "155")).toEqual([])
    expect(warningsOf("jpy", "1", { mine: provider("free") })).toEqual([])
  })
})
