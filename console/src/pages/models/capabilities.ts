import type { Model } from "tollgate-contract/catalog.ts"

/** Capabilities for filtering models. */
export const CAPABILITIES = [
  { value: "vision", label: "Vision" },
  { value: "tools", label: "Tools" },
  { value: "reasoning", label: "Reasoning" },
  { value: "caching", label: "Caching" },
] as const

export type Capability = (typeof CAPABILITIES)[number]["value"]

/** Reports whether a model has a capability; null if that is unknown. */
export function hasCapability(model: Model, capability: Capability): boolean | null {
  const { capabilities } = model
  // A price for cached input shows that the vendor caches input.
  if (capability === "caching") return model.price && "cached_input" in model.price
  if (capabilities === null) return null
  if (capability !== "vision") return capabilities[capability]
  return capabilities.input.length === 0 ? null : capabilities.input.includes("image")
}

/** Returns the capability named in the URL. */
export function capabilityOf(name: string | undefined): Capability | undefined {
  return CAPABILITIES.find(({ value }) => value === name)?.value
}
