import type { JsonObject } from "../canon/json.ts"
import type { DialectId } from "../canon/extra.ts"
import type { UpstreamDialect } from "../canon/dialect.ts"
import type { EmbeddingFormat } from "../canon/embedding.ts"
import type { ImageFormat } from "../canon/image.ts"
import type { ModerationFormat } from "../canon/moderation.ts"
import type { RerankFormat } from "../canon/rerank.ts"
import type { SpeechFormat } from "../canon/speech.ts"
import type { TranscriptionFormat } from "../canon/transcription.ts"
import type { ProviderSettings } from "../config/settings.ts"
import type { VariableSet, VendorSetting } from "../config/vendors.ts"

/** One chat dialect of a vendor, and its address. */
export interface ChatBinding {
  /** The dialect with the vendor's quirks. */
  readonly dialect: UpstreamDialect
  /**
   * Returns the path and query, relative to the provider's base URL.
   * @param model the vendor's own name for the model.
   */
  path(model: string, stream: boolean): string
  /** Whether the vendor offers web search in this dialect, at a known price. */
  readonly webSearch?: true
  /** Headers that this dialect needs at this vendor in addition to the credential, such as `anthropic-version`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers by name in lowercase. */
export type RequestHeaders = Readonly<Record<string, string>>

/** The parts of a request that a signature may cover. */
export interface SignableRequest {
  readonly url: string
  /** The exact body; empty for a GET. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Defaults to POST. */
  readonly method?: "GET" | "POST"
}

/**
 * Signs the requests of one provider. It is built once per provider from the provider's settings, and may cache a
 * token.
 */
export interface Signer {
  /**
   * Returns the headers that authenticate the request. The result is a promise only if the headers must be fetched, or
   * computed for each request.
   * @throws GatewayError `upstream_error`, `upstream_timeout` if the credential could not be used.
   */
  sign(request: SignableRequest): RequestHeaders | Promise<RequestHeaders>
  /** Returns secrets that are not in the settings, such as a token, for the redactor. */
  secrets?(): readonly string[]
}

/** A request that costs nothing and only succeeds with a valid credential. */
export type Probe =
  | {
      readonly url: string
      /** The address that lists all models, if it differs from the address of the request. */
      readonly list?: string
    }
  /** Facts for the operator that are known without a request, for a vendor that has no such request. */
  | { readonly known: string }

/** The formats of a vendor's operations other than chat. */
export interface Operations {
  readonly embedding?: EmbeddingFormat
  readonly rerank?: RerankFormat
  readonly speech?: SpeechFormat
  readonly transcription?: TranscriptionFormat
  readonly image?: ImageFormat
  readonly moderation?: ModerationFormat
}

/** A vendor: its address, how requests to it are signed, and the dialects that it supports. */
export interface Vendor {
  readonly id: string
  readonly name: string
  /**
   * The base URL without a trailing slash; absent if each provider has its own, or if it is derived from the
   * settings.
   */
  readonly baseUrl?: string
  /** The environment variables that contain the key, with the main variable first. */
  readonly keyVariables: readonly string[]
  /** The ways to configure the vendor by environment variables; absent if a key is sufficient. */
  readonly variableSets?: readonly VariableSet[]
  /** The settings of a provider that not every vendor has; only `api_key` if absent. */
  readonly settings?: readonly VendorSetting[]
  /** The settings that a provider requires. All settings of one of these lists must be set. */
  readonly needs?: readonly (readonly (VendorSetting | "base_url")[])[]
  /** The dialects that the vendor's servers support, with the preferred dialect first; empty if they offer no chat. */
  readonly chat: readonly ChatBinding[]
  readonly operations?: Operations
  /** Dialects that a provider's servers support only if the provider's settings list them. */
  readonly optionalDialects?: readonly DialectId[]
  /** Set if operators run the servers with their own models, so the models may be unknown to the gateway. */
  readonly isSelfHosted?: true
  /**
   * Whether the vendor bills nothing for this response, because it has no output; absent if the vendor bills all
   * responses.
   * @param reported the response, or the frame of a stream that reports its usage.
   */
  isUnbilled?(reported: JsonObject): boolean
  /** Set if the usage of each chat response states its cost in US dollars. */
  readonly statesCost?: true
  /** Returns the base URL of a provider; undefined if the settings have not been checked and are incomplete. */
  baseUrlOf(provider: ProviderSettings): string | undefined
  signer(provider: ProviderSettings): Signer
  /** Returns how the credential of a provider can be checked. */
  probe(provider: ProviderSettings): Probe
}
