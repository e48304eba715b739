import type { Model } from "tollgate-contract/catalog.ts"

/** Tokens. What holds less is often too small to be of use to a tool. */
const CAPABLE_CONTEXT = 100_000

/**
 * Of models, the one to try first: likely to answer, capable, and of these what costs least. Free ones are often busy,
 * so they come last.
 */
export function modelToTry(models: readonly Model[]): Model | undefined {
  const preferences = [isReady, isCapable, (model: Model) => costOf(model) > 0]
  const fitting = preferences.reduce((left, preference) => preferred(left, preference), models)
  return fitting.toSorted((left, right) => costOf(left) - costOf(right))[0]
}

/** Those that match a preference; all if none matches. */
function preferred(
  models: readonly Model[],
  preference: (model: Model) => boolean,
): readonly Model[] {
  const fitting = models.filter(preference)
  return fitting.length > 0 ? fitting : models
}

/** Whether it is likely to answer at once: a first request should not be the one that fails. */
function isReady({ deployments }: Model): boolean {
  // Those who are no operators see none.
  if (deployments.length === 0) return true
  return deployments.some(({ health, is_paused }) => health.state !== "resting" && !is_paused)
}

function isCapable({ context }: Model): boolean {
  return context === null || context >= CAPABLE_CONTEXT
}

/** To compare only: what a million units of its classes together cost, rounded. */
function costOf({ price, multiplier }: Model): number {
  const amounts = ["input", "output"].map((name) => Number(price?.[name] ?? 0))
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  const any = sum > 0 ? sum : Math.max(0, ...Object.values(price ?? {}).map(Number))
  return any * Number(multiplier)
}
