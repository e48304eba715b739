import type { Settings } from "../config/settings.ts"
import { splitId } from "./build-model.ts"
import type { KnownModels } from "./known-models.ts"

/** Returns a line for each provider that no request can reach because no model uses it. */
export function providersWithoutModels(
  settings: Settings,
  known: KnownModels,
  callable: ReadonlyMap<string, unknown>,
): string[] {
  const called = new Set(
    Object.entries(settings.models).flatMap(
      ([id, { deployments }]) =>
        deployments?.map(({ provider }) => provider) ?? [splitId(id).provider],
    ),
  )
  return Object.entries(settings.providers).flatMap(([id, { knownModels, vendor }]) => {
    if (!callable.has(id) || called.has(id) || known.namesOf(id).length > 0) return []
    // With the setting `unknown_models`, callers may name any model of the provider.
    if (knownModels && (settings.unknownModels ?? "reject") !== "reject") return []
    const cause = knownModels
      ? `no models of vendor '${vendor}' are known`
      : "known_models is false"
    return [
      `provider ${id}: has no models (${cause}), so it is never called. ` +
        `List them under 'models' with a price, such as ${id}/NAME.`,
    ]
  })
}

/** Returns a warning if credits have another currency but no multiplier, since known prices are in US dollars. */
export function currencyWarnings(settings: Settings, hasKnownPrices: boolean): string[] {
  const currency = settings.stripe?.currency ?? "usd"
  if (currency === "usd" || !hasKnownPrices || Number(settings.multiplier) !== 1) return []
  return [
    `stripe.currency: one credit is sold for 1 ${currency.toUpperCase()}, but the known prices are in US dollars ` +
      `and 'multiplier' is 1. Set multiplier to the price of one dollar in ${currency.toUpperCase()}, plus your margin.`,
  ]
}
