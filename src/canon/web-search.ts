import type { JsonValue } from "./json.ts"
import type { DialectId, Extra } from "./extra.ts"

/** A page found by a web search. */
export interface FoundPage {
  readonly url: string
  readonly title?: string
  /** Its age in the vendor's wording. */
  readonly age?: string
}

/**
 * A web search that a vendor ran, as callers of other dialects receive it. The vendor's own dialect
 * has the complete search in the answer's extras. In a history, it is a search that the gateway
 * reported and no vendor has stored.
 */
export interface WebSearchPart {
  readonly type: "web-search"
  readonly queries: readonly string[]
  readonly pages: readonly FoundPage[]
  /** The number of searches that the vendor counts for it. */
  readonly uses: number
  readonly failed?: boolean
  /** The dialect of the vendor's report. */
  readonly reportedIn: DialectId
}

/** The user's approximate location, as in the APIs of OpenAI and Anthropic. */
export interface SearchLocation {
  readonly city?: string
  readonly region?: string
  /** Two letters of ISO 3166-1. */
  readonly country?: string
  /** IANA name. */
  readonly timezone?: string
}

/** A web search that the vendor runs itself, independent of the vendor. */
export interface WebSearch {
  readonly maxUses?: number
  /** The amount of results that the model reads: `low`, `medium`, `high`. */
  readonly contextSize?: string
  readonly location?: SearchLocation
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
  /** Options that only the caller's dialect has. */
  readonly extra?: Extra
  readonly declared: DeclaredSearch
}

/** The caller's declaration of the search, which its own dialect has in its extras. */
export interface DeclaredSearch {
  readonly dialect: DialectId
  /** Its path in error messages: `tools[1]`. */
  readonly place: string
  /** The identical object in the extra `tools`. */
  readonly tool?: JsonValue
  /** Names of the extras that contain it. */
  readonly fields: readonly string[]
}
