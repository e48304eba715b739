import { isOperationKind, MODEL_KINDS } from "#contract/model-kinds.ts"
import { type Deployment, type Model, placeOf } from "../catalog/model.ts"
import type { Settings } from "../config/settings.ts"
import { vendors } from "../vendors/index.ts"

/**
 * Returns the endpoints that a model supports, based on the vendors' tables, as in `docs/reference/vendors.md`.
 * @param vendorOf returns the vendor of a provider.
 */
export function endpointsOf(
  model: Model,
  vendorOf: (provider: string) => string | undefined,
): string[] {
  const { kind, deployments } = model
  const isServed =
    !isOperationKind(kind) ||
    deployments.some(({ provider }) => vendors.get(vendorOf(provider) ?? "")?.operations?.[kind])
  return isServed ? [...MODEL_KINDS[kind].endpoints] : []
}

/** A deployment of a model, as listed in the model's document. */
interface ListedDeployment {
  readonly deployment: Deployment
  /**
   * The deployments for all credentials of the provider; only the deployment itself if there is a single credential.
   */
  readonly credentials: readonly Deployment[]
  /** The sum of the weights of all credentials. */
  readonly weight: number
  readonly isPaused: boolean
}

/** Returns deployments in the order of the settings. */
export function deploymentsOf(
  { id, deployments, paused = [] }: Model,
  { models }: Settings,
): ListedDeployment[] {
  const active = asWritten(deployments, false)
  if (paused.length === 0) return active
  const written = (Object.hasOwn(models, id) ? models[id]?.deployments : undefined) ?? []
  const places = new Map(
    written.map(({ provider, model }, place) => [`${provider}/${model}`, place]),
  )
  const rankOf = ({ deployment }: ListedDeployment): number => places.get(placeOf(deployment)) ?? 0
  return [...active, ...asWritten(paused, true)].toSorted(
    (left, right) => rankOf(left) - rankOf(right),
  )
}

/** Merges the deployments of a provider's credentials into one deployment, as in the settings. */
function asWritten(deployments: readonly Deployment[], isPaused: boolean): ListedDeployment[] {
  const places = Map.groupBy(deployments, (deployment) =>
    deployment.credential === undefined ? deployment : placeOf(deployment),
  )
  return [...places.values()].flatMap((credentials) =>
    credentials
      .slice(0, 1)
      .map((deployment) => ({ deployment, credentials, weight: weightOf(credentials), isPaused })),
  )
}

/** Adds the weights of several credentials. The sum is rounded, because the parts may not add up exactly. */
function weightOf(credentials: readonly Deployment[]): number {
  const [only] = credentials
  if (credentials.length === 1 && only) return only.weight
  return Number(credentials.reduce((sum, { weight }) => sum + weight, 0).toPrecision(12))
}
