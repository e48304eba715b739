import type { Model } from "tollgate-contract/catalog.ts"
import { t } from "../../languages/text.ts"

/** Capabilities for filtering models. */
export const CAPABILITIES = [
  { value: "vision", label: t("Vision") },
  { value: "tools", label: t("Tools") },
  { value: "reasoning", label: t("Reasoning") },
  { value: "caching", label: t("Caching") },
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
