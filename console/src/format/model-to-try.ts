import type { Model } from "tollgate-contract/catalog.ts"

/** Minimum context in tokens. Many tools do not work well with a smaller context. */
const CAPABLE_CONTEXT = 100_000

/**
 * Returns the model to try first. Models that are likely to respond are preferred, then capable models, then the
 * cheapest. Free models are often busy, so they come last.
 */
export function modelToTry(models: readonly Model[]): Model | undefined {
  const preferences = [isReady, isCapable, (model: Model) => costOf(model) > 0]
  const fitting = preferences.reduce((left, preference) => preferred(left, preference), models)
  return fitting.toSorted((left, right) => costOf(left) - costOf(right))[0]
}

/** Returns the models that match a preference, or all models if no model matches. */
function preferred(
  models: readonly Model[],
  preference: (model: Model) => boolean,
): readonly Model[] {
  const fitting = models.filter(preference)
  return fitting.length > 0 ? fitting : models
}

/**
 * Reports whether a model is likely to respond immediately, so that the first request does not
 * fail.
 */
function isReady({ deployments }: Model): boolean {
  // Only operators receive deployments. For other users the list is empty.
  if (deployments.length === 0) return true
  return deployments.some(({ health, is_paused }) => health.state !== "cooling_down" && !is_paused)
}

function isCapable({ context }: Model): boolean {
  return context === null || context >= CAPABLE_CONTEXT
}

/** Returns the approximate price of a million input and a million output units, for comparison only. */
function costOf({ price, multiplier }: Model): number {
  const amounts = ["input", "output"].map((name) => Number(price?.[name] ?? 0))
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const any = sum > 0 ? sum : Math.max(0, ...Object.values(price ?? {}).map(Number))
  return any * Number(multiplier)
}
