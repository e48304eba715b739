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
  /** Made with the vendor's quirks. */
  readonly dialect: UpstreamDialect
  /**
   * The path, and query, below the provider's base address.
   * @param model the vendor's own name for the model.
   */
  path(model: string, stream: boolean): string
  /** Whether the vendor offers web search in this dialect, at a known price. */
  readonly webSearch?: true
  /** Headers that this dialect needs at this vendor besides the credential, such as `anthropic-version`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers by their names in lowercase. */
export type RequestHeaders = Readonly<Record<string, string>>

/** A request as it is signed. */
export interface SignableRequest {
  readonly url: string
  /** The exact body; empty for a GET. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** POST when absent. */
  readonly method?: "GET" | "POST"
}

/** Signs the requests of one provider. Built once per provider from its settings; may cache a token. */
export interface Signer {
  /**
   * The headers that authenticate the request. A promise only if they have to be fetched, or computed for each
   * request.
   * @throws GatewayError `upstream_error`, `upstream_timeout`: the credential could not be used.
   */
  sign(request: SignableRequest): RequestHeaders | Promise<RequestHeaders>
  /** Secrets that are not in the settings, such as a token, for the redactor. */
  secrets?(): readonly string[]
}

/** A question that costs nothing and that only a good credential gets an answer to. */
export type Probe =
  | {
      readonly url: string
      /** The address that lists all of its models, when it is a different one. */
      readonly list?: string
    }
  /** The vendor has no such request: facts that are known without one, for the operator to read. */
  | { readonly known: string }

/** A vendor's operations besides chat, and their formats. */
export interface Operations {
  readonly embedding?: EmbeddingFormat
  readonly rerank?: RerankFormat
  readonly speech?: SpeechFormat
  readonly transcription?: TranscriptionFormat
  readonly image?: ImageFormat
  readonly moderation?: ModerationFormat
}

/** The maker of an API: its address, how its requests are signed, which dialects it speaks. */
export interface Vendor {
  readonly id: string
  readonly name: string
  /** Without a trailing slash. Absent if each provider has its own, or it is derived from the settings. */
  readonly baseUrl?: string
  /** The environment variables that hold its key, the main one first. */
  readonly keyVariables: readonly string[]
  /** The ways to configure it by environment variables; absent: a key is enough. */
  readonly variableSets?: readonly VariableSet[]
  /** The settings of a provider that not every vendor has; absent: `api_key` alone. */
  readonly settings?: readonly VendorSetting[]
  /** The settings that a provider requires: all of one of these lists. */
  readonly needs?: readonly (readonly (VendorSetting | "base_url")[])[]
  /** The dialects of its servers, the preferred one first; empty if they offer no chat. */
  readonly chat: readonly ChatBinding[]
  readonly operations?: Operations
  /** Dialects that a provider's servers support only if its settings say so. */
  readonly optionalDialects?: readonly DialectId[]
  /** Operators run its servers with their own models, so no known models are required. */
  readonly isServerOfOnesOwn?: true
  /** Returns the base address of a provider; undefined if its unchecked settings are incomplete. */
  baseUrlOf(provider: ProviderSettings): string | undefined
  signer(provider: ProviderSettings): Signer
  /** How a provider's credential can be tried. */
  probe(provider: ProviderSettings): Probe
}
