import { cheapestFirst } from "./cheapest-first.ts"
import type { Deployment, Model } from "./model.ts"

/** A model with the prices of an interval of time. */
interface Known {
  readonly from: number
  readonly until: number
  readonly model: Model
}

/** Models are immutable: each is computed once for each time during which its prices stay the same. */
const known = new WeakMap<Model, Known>()

/** Whether a price of the model depends on the time. */
export function hasPeriods({ deployments }: Model): boolean {
  return deployments.some(({ price }) => price?.periods !== undefined)
}

/** Returns a model with the prices in force at a moment, ordered by price if `choice` is `price`. Unix milliseconds. */
export function atPricesOf(model: Model, now: number): Model {
  if (!hasPeriods(model)) return model
  const last = known.get(model)
  if (last !== undefined && last.from <= now && now < last.until) return last.model
  const deployments = model.deployments.map((each) => deploymentAt(each, now))
  const times = deployments.flatMap(({ price }) => price?.inForce ?? [])
  const ordered = model.choice === "price" ? cheapestFirst(deployments) : deployments
  const priced = { ...model, deployments: ordered }
  known.set(model, {
    from: Math.max(...times.map(({ from }) => from)),
    until: Math.min(...times.map(({ until }) => until)),
    model: priced,
  })
  return priced
}

/** Returns the moment of a model's next known price change; infinite if no change is known. */
export function pricedUntil({ deployments }: Model): number {
  return Math.min(Infinity, ...deployments.map(({ price }) => price?.inForce?.until ?? Infinity))
}

function deploymentAt(deployment: Deployment, now: number): Deployment {
  const price = deployment.price?.periods?.at(now)
  return price === undefined ? deployment : { ...deployment, price }
}
