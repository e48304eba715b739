import type { Settings } from "../config/settings.ts"
import { splitId } from "./build-model.ts"
import type { KnownModels } from "./known-models.ts"
import { isPriced, type Model } from "./model.ts"

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

/** Maximum names in a warning, because people do not read longer lists. */
const MAX_NAMES = 5

/** Returns warnings about the known models of a provider, one line per subject. */
export function knownModelWarnings(provider: string, models: readonly Model[]): string[] {
  const warnings: string[] = []
  const unpriced = models.filter((model) => !isPriced(model))
  if (unpriced.length > 0) {
    const count = `${unpriced.length} of its ${models.length} known models`
    warnings.push(
      `provider ${provider}: ${count} are rejected, because they have no price that can be billed: ${names(unpriced)}`,
    )
  }
  // Models for moderation may be free, since OpenAI does not charge for them.
  const free = models.filter((model) => model.kind !== "moderation" && isFree(model))
  if (free.length > 0) {
    const count = free.length === 1 ? "1 known model is" : `${free.length} known models are`
    warnings.push(
      `provider ${provider}: ${count} free for callers, because the vendor does not charge: ${names(free)}`,
    )
  }
  return warnings
}

function isFree(model: Model): boolean {
  return model.deployments.some(
    ({ price }) =>
      price !== undefined &&
      price.tiers.length === 0 &&
      Object.values(price.rates).every((rate) => rate === 0n),
  )
}

function names(models: readonly Model[]): string {
  const ids = models
    .map(({ id }) => id)
    .toSorted()
    .slice(0, MAX_NAMES)
  const more = models.length - ids.length
  return more > 0 ? `${ids.join(", ")} and ${more} more` : ids.join(", ")
}
