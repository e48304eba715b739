import { cheapestFirst } from "./cheapest-first.ts"
import type { Deployment, Model } from "./model.ts"

/** A model with the prices of a time interval. */
interface Known {
  readonly from: number
  readonly until: number
  readonly model: Model
}

/** Cached models with prices. Models are immutable, so each is computed once per interval. */
const known = new WeakMap<Model, Known>()

/** Whether a price of the model depends on the time. */
export function hasPeriods({ deployments }: Model): boolean {
  return deployments.some(({ price }) => price?.periods !== undefined)
}

/** Returns a model with the prices that apply at `now` (Unix milliseconds), sorted if `strategy` is `price`. */
export function atPricesOf(model: Model, now: number): Model {
  if (!hasPeriods(model)) return model
  const last = known.get(model)
  if (last !== undefined && last.from <= now && now < last.until) return last.model
  const deployments = model.deployments.map((each) => deploymentAt(each, now))
  const times = deployments.flatMap(({ price }) => price?.inForce ?? [])
  const ordered = model.strategy === "price" ? cheapestFirst(deployments) : deployments
  const priced = { ...model, deployments: ordered }
  known.set(model, {
    from: Math.max(...times.map(({ from }) => from)),
    until: Math.min(...times.map(({ until }) => until)),
    model: priced,
  })
  return priced
}

/** Returns the time of a model's next known price change; infinite if no change is known. */
export function pricedUntil({ deployments }: Model): number {
  return Math.min(Infinity, ...deployments.map(({ price }) => price?.inForce?.until ?? Infinity))
}

function deploymentAt(deployment: Deployment, now: number): Deployment {
  const price = deployment.price?.periods?.at(now)
  return price === undefined ? deployment : { ...deployment, price }
}
