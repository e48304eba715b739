import type { JsonValue } from "./json.ts"
import type { DialectId, Extra } from "./extra.ts"

/** A page found by a web search. */
export interface FoundPage {
  readonly url: string
  readonly title?: string
  /** The age of the page, in the vendor's wording. */
  readonly age?: string
}

/**
 * A web search that a vendor ran, in the form that callers of other dialects receive. For the vendor's own dialect, the
 * complete search is in the response's extras. In the history of a request, it is a search that the gateway reported
 * and that no vendor has stored.
 */
export interface WebSearchPart {
  readonly type: "web-search"
  readonly queries: readonly string[]
  readonly pages: readonly FoundPage[]
  /** The number of searches that the vendor counts for this search. */
  readonly uses: number
  readonly failed?: boolean
  /** The dialect in which the vendor reported the search. */
  readonly reportedIn: DialectId
}

/** The user's approximate location, as in the APIs of OpenAI and Anthropic. */
export interface SearchLocation {
  readonly city?: string
  readonly region?: string
  /** Two-letter country code (ISO 3166-1). */
  readonly country?: string
  /** IANA time zone name. */
  readonly timezone?: string
}

/** A web search that the vendor runs, in a form that all dialects share. */
export interface WebSearch {
  readonly maxUses?: number
  /** The amount of search results that the model reads: `low`, `medium` or `high`. */
  readonly contextSize?: string
  readonly location?: SearchLocation
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
  /** Options that exist in the caller's dialect only. */
  readonly extra?: Extra
  readonly declared: DeclaredSearch
}

/**
 * A web search that the caller declared. The extras of the request contain the same declaration, for providers that use
 * the caller's dialect.
 */
export interface DeclaredSearch {
  readonly dialect: DialectId
  /** Path of the declaration in error messages, such as `tools[1]`. */
  readonly place: string
  /** The object in the extra `tools` that contains the same declaration. */
  readonly tool?: JsonValue
  /** Names of the extras that contain the declaration. */
  readonly fields: readonly string[]
}
