import type { Catalog } from "../../catalog/catalog.ts"
import type { LearnedRules } from "../../catalog/learned-rules.ts"
import type { Model } from "../../catalog/model.ts"
import type { TimeoutSettings, Disconnect, RoutingSettings } from "../../config/settings.ts"
import type { MediaLimits } from "../../media/fetch-media.ts"
import type { ProviderClient } from "./provider-client.ts"

/**
 * The configuration for serving requests, derived from the active settings. It is replaced as a whole when the settings
 * change. A request keeps the configuration with which it started.
 */
export interface RuntimeConfig {
  readonly catalog: Catalog
  /** The clients by provider, and by credential for a provider with several credentials. */
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly timeouts: TimeoutSettings
  /** Maximum bytes of a whole response of an upstream. */
  readonly responseBytes: number
  readonly routing: RoutingSettings
  readonly disconnect: Disconnect
  /** Maximum milliseconds for draining an upstream call after the caller has disconnected. */
  readonly disconnectLimit: number
  readonly media: MediaLimits
  /** Rules learned from providers since the process started. All configurations share them. */
  readonly learnedRules: LearnedRules
  /** Whether a request may refer to content that a vendor stores for an unknown account. */
  readonly passesUnknownState: boolean
  /** The image model for requests that name no model. */
  readonly imageModel?: string
  /** Whether priced features are passed on if no price is configured for them. */
  readonly passesUnpriced: boolean
  /** The chat model that translates if a transcription model cannot. */
  readonly translationModel?: string
}

/**
 * When an upstream call is drained for its usage, after the caller has disconnected or has received the whole response.
 */
export interface DrainRule {
  /** `if-billed`: only if the provider has not reported the usage and may bill more than the received part. */
  readonly when: "always" | "if-billed" | "never"
  readonly limitMs: number
}

const WHEN = { auto: "if-billed", cancel: "never", drain: "always" } as const

/** Returns the drain rule for responses of a model. A setting of the model itself takes precedence. */
export function drainRuleOf(
  { disconnect, disconnectLimit }: RuntimeConfig,
  { disconnect: own }: Model,
): DrainRule {
  return { when: WHEN[own ?? disconnect], limitMs: disconnectLimit }
}
