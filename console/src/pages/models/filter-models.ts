import type { Health, Model } from "tollgate-contract/catalog.ts"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import { healthState } from "../../format/health-state.ts"
import { capabilityOf, hasCapability } from "./capabilities.ts"

/** In the place of a kind: models that consist of others. */
export const GROUP = "group"

export interface ModelFilters {
  readonly search?: string | undefined
  readonly kind?: string | undefined
  readonly provider?: string | undefined
  /** `true`, `false`. */
  readonly priced?: string | undefined
  /** What it can do. */
  readonly can?: string | undefined
}

/** The models that fit every filter; each word of the search has to be somewhere. */
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

/** The providers that models are of or go to, each once. */
export function providersOf(models: readonly Model[]): string[] {
  const all = models.flatMap((model) => [
    model.provider,
    ...model.deployments.map(({ provider }) => provider),
  ])
  return [...new Set(all)].toSorted()
}

/** As its stored requests say; without any, as well as the best of its deployments that were used. */
export function healthOf(model: Model, history: ReliabilityRow | undefined): Health["state"] {
  const states = model.deployments.map(({ health }) => health.state)
  return healthState(BEST_FIRST.find((best) => states.includes(best)) ?? "unknown", history)
}

const BEST_FIRST = ["healthy", "failing", "resting"] as const

/** The parts of a model's path in the API; its name may hold slashes. */
export function modelPath(id: string): { readonly provider: string; readonly name: string } {
  const [provider = "", ...name] = id.split("/")
  return { provider, name: name.join("/") }
}
