import type { Model } from "tollgate-contract/catalog.ts"

/** What people look for in a model. */
export const CAPABILITIES = [
  { value: "vision", label: "Vision" },
  { value: "tools", label: "Tools" },
  { value: "reasoning", label: "Reasoning" },
  { value: "caching", label: "Caching" },
] as const

export type Capability = (typeof CAPABILITIES)[number]["value"]

/** Returns whether a model can do something; null if it is unknown. */
export function hasCapability(model: Model, capability: Capability): boolean | null {
  const { capabilities } = model
  // A price of its own is what says that a vendor takes input from its cache.
  if (capability === "caching") return model.price && "cached_input" in model.price
  if (capabilities === null) return null
  if (capability !== "vision") return capabilities[capability]
  return capabilities.input.length === 0 ? null : capabilities.input.includes("image")
}

/** The capability that an address names. */
export function capabilityOf(name: string | undefined): Capability | undefined {
  return CAPABILITIES.find(({ value }) => value === name)?.value
}
