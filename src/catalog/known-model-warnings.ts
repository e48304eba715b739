import { isPriced, type Model } from "./model.ts"

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
