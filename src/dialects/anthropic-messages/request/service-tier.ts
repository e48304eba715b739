import type { LossList } from "../../../canon/losses.ts"

/** Anthropic's word for what others call the default. */
const STANDARD = "standard_only"
const DEFAULT = "default"

/** The class of service in the canon's word, which is OpenAI's. */
export function decodeServiceTier(tier: string): string {
  return tier === STANDARD ? DEFAULT : tier
}

/** Anthropic knows two: whatever there is, priority first; and no priority. */
export function encodeServiceTier(tier: string, losses: LossList): string {
  if (tier === "auto") return tier
  if (tier === DEFAULT || tier === "standard") return STANDARD
  losses.add("service_tier", "approximated")
  return tier === "priority" ? "auto" : STANDARD
}
