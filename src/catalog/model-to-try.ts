import { cheapestFirst } from "./cheapest-first.ts"
import { isPriced, type Model } from "./model.ts"

/** Models with a smaller context are often of little use. */
const MIN_CONTEXT_TOKENS = 100_000
/** Maximum age relative to the newest model. Older models may no longer be served. */
const MAX_AGE_SECONDS = 18 * 30 * 86_400

/**
 * Returns the chat model for a first request: the cheapest that is priced, capable and probably still served. Free
 * models are often overloaded, so they come last.
 */
export function modelToTry(models: readonly Model[]): Model | undefined {
  const callable = models.filter((model) => model.kind === "chat" && isPriced(model))
  const newest = Math.max(0, ...callable.map(({ created }) => created))
  const preferences = [
    ({ members }: Model) => members === undefined,
    ({ created }: Model) => created >= newest - MAX_AGE_SECONDS,
    ({ context }: Model) => context === undefined || context >= MIN_CONTEXT_TOKENS,
    isPaid,
  ]
  const fitting = preferences.reduce<readonly Model[]>(
    (left, preference) => preferred(left, preference),
    callable,
  )
  const byDeployment = new Map(
    fitting.flatMap((model) => model.deployments.map((deployment) => [deployment, model] as const)),
  )
  const [cheapest] = cheapestFirst([...byDeployment.keys()])
  return cheapest && byDeployment.get(cheapest)
}

/** Returns the models that match a preference, or all if none matches. */
function preferred(
  models: readonly Model[],
  preference: (model: Model) => boolean,
): readonly Model[] {
  const fitting = models.filter(preference)
  return fitting.length > 0 ? fitting : models
}

function isPaid({ deployments }: Model): boolean {
  return deployments.some(({ price }) => (price?.rates.output ?? 0n) > 0n)
}
