import type { Catalog } from "../../catalog/catalog.ts"
import type { Model } from "../../catalog/model.ts"
import type { DeadlineSettings, Disconnect, RoutingSettings } from "../../config/settings.ts"
import type { MediaLimits } from "../../media/fetch-media.ts"
import type { ProviderClient } from "../upstream/provider-client.ts"

/**
 * What requests are served by, worked out from the active settings. It is replaced as a whole when they change; a
 * request keeps the one it began with.
 */
export interface RuntimeConfig {
  readonly catalog: Catalog
  /** By provider, and by keeper where it has several credentials. */
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly deadlines: DeadlineSettings
  /** The largest whole answer of an upstream that is read. Bytes. */
  readonly answerBytes: number
  readonly routing: RoutingSettings
  readonly disconnect: Disconnect
  /** Milliseconds. */
  readonly disconnectLimit: number
  readonly media: MediaLimits
  /** Whether a request may name what a vendor keeps for no one knows whom. */
  readonly passesUnknownState: boolean
  /** The image model of requests that name none. */
  readonly imageModel?: string
  /** Whether what a vendor bills and has no price here is passed on all the same. */
  readonly passesUnpriced: boolean
  /** The chat model that translates what a transcribing model cannot. */
  readonly translationModel?: string
}

/** How long answers of a model are read on whose callers have left, milliseconds; undefined: they are cancelled. */
export function drainTimeOf(config: RuntimeConfig, model: Model): number | undefined {
  const { disconnect, disconnectLimit } = config
  return (model.disconnect ?? disconnect) === "drain" ? disconnectLimit : undefined
}
