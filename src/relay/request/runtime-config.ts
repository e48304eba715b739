import type { Catalog } from "../../catalog/catalog.ts"
import type { LearnedRules } from "../../catalog/learned-rules.ts"
import type { Model } from "../../catalog/model.ts"
import type { DeadlineSettings, Disconnect, RoutingSettings } from "../../config/settings.ts"
import type { MediaLimits } from "../../media/fetch-media.ts"
import type { ProviderClient } from "./provider-client.ts"

/**
 * The configuration that serves requests, derived from the active settings. It is replaced as a whole when they
 * change; a request keeps the one it began with.
 */
export interface RuntimeConfig {
  readonly catalog: Catalog
  /** By provider, and by keeper if it has several credentials. */
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly deadlines: DeadlineSettings
  /** Maximum size of a whole answer of an upstream, in bytes. */
  readonly answerBytes: number
  readonly routing: RoutingSettings
  readonly disconnect: Disconnect
  /** Milliseconds. */
  readonly disconnectLimit: number
  readonly media: MediaLimits
  /** Rules learned from providers since the start, shared by all configurations. */
  readonly learnedRules: LearnedRules
  /** Whether a request may name content that a vendor stores for an unknown account. */
  readonly passesUnknownState: boolean
  /** The default image model. */
  readonly imageModel?: string
  /** Whether priced features without a configured price are passed on. */
  readonly passesUnpriced: boolean
  /** The chat model for translations that a transcription model does not support. */
  readonly translationModel?: string
}

/** When an upstream call is drained for its usage after its caller has left, or has the whole answer. */
export interface DrainRule {
  /** `if-billed`: only if the provider has not reported the usage and may bill more than the received part. */
  readonly when: "always" | "if-billed" | "never"
  readonly limitMs: number
}

const WHEN = { auto: "if-billed", cancel: "never", drain: "always" } as const

/** Returns the drain rule for answers of a model. The setting of the model itself takes precedence. */
export function drainRuleOf(
  { disconnect, disconnectLimit }: RuntimeConfig,
  { disconnect: own }: Model,
): DrainRule {
  return { when: WHEN[own ?? disconnect], limitMs: disconnectLimit }
}
