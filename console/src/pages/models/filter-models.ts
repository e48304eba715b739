import type { Health, Model } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { healthState } from "../../format/health-state.ts"
import { capabilityOf, hasCapability } from "./capabilities.ts"

/** The filter value that selects groups instead of a kind of model. */
export const GROUP = "group"

export interface ModelFilters {
  readonly search?: string | undefined
  readonly kind?: string | undefined
  readonly provider?: string | undefined
  /** `true` for models with a price, `false` for models without. */
  readonly priced?: string | undefined
  /** The name of a capability. */
  readonly can?: string | undefined
}

/**
 * Returns the models that match every filter. Each word of the search text must occur in some property of the model.
 */
export function filterModels(models: readonly Model[], filters: ModelFilters): Model[] {
  const words = (filters.search ?? "").toLowerCase().split(/\s+/).filter(Boolean)
  const capability = capabilityOf(filters.can)
  return models.filter((model) => {
    if (capability !== undefined && hasCapability(model, capability) !== true) return false
    if (filters.kind === GROUP) {
      if (model.group === null) return false
    } else if (filters.kind !== undefined && model.kind !== filters.kind) return false
    if (filters.provider !== undefined && !isOf(model, filters.provider)) return false
    if (filters.priced === "true" && model.price === null) return false
    if (filters.priced === "false" && model.price !== null) return false
    const text = `${model.id} ${model.kind} ${model.owned_by}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function isOf(model: Model, provider: string): boolean {
  return (
    model.provider === provider ||
    model.deployments.some((deployment) => deployment.provider === provider)
  )
}

/** Returns the distinct providers of the models and of their deployments. */
export function providersOf(models: readonly Model[]): string[] {
  const all = models.flatMap((model) => [
    model.provider,
    ...model.deployments.map(({ provider }) => provider),
  ])
  return [...new Set(all)].toSorted()
}

/** Returns the state from stored requests, or else the best state among the deployments in use. */
export function healthOf(model: Model, history: ReliabilityRow | undefined): Health["state"] {
  const states = model.deployments.map(({ health }) => health.state)
  return healthState(BEST_FIRST.find((best) => states.includes(best)) ?? "unknown", history)
}

const BEST_FIRST = ["healthy", "failing", "cooling_down"] as const

/** Splits a model id into its path parameters in the API. The name may contain slashes. */
export function modelPath(id: string): { readonly provider: string; readonly name: string } {
  const [provider = "", ...name] = id.split("/")
  return { provider, name: name.join("/") }
}
