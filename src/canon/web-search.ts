import type { JsonValue } from "./json.ts"
import type { DialectId, Extra } from "./extra.ts"

/** A page that a search of the web found. */
export interface FoundPage {
  readonly url: string
  readonly title?: string
  /** Its age, in the vendor's words. */
  readonly age?: string
}

/**
 * A web search that a vendor ran: what callers of other dialects get of it. The vendor's own dialect has all of
 * it in the answer's extras. In a history it is one that the gateway reported, which no vendor knows.
 */
export interface WebSearchPart {
  readonly type: "web-search"
  readonly queries: readonly string[]
  readonly pages: readonly FoundPage[]
  /** How many searches its vendor counts for it. */
  readonly uses: number
  readonly failed?: boolean
  /** The dialect in which the vendor reported it. */
  readonly reportedIn: DialectId
}

/** Where the user is, roughly: as OpenAI and Anthropic both have it. */
export interface SearchLocation {
  readonly city?: string
  readonly region?: string
  /** Two letters of ISO 3166-1. */
  readonly country?: string
  /** IANA. */
  readonly timezone?: string
}

/** A search of the web that the vendor runs itself, whichever vendor it is. */
export interface WebSearch {
  readonly maxUses?: number
  /** How much of the results the model reads: `low`, `medium`, `high`. */
  readonly contextSize?: string
  readonly location?: SearchLocation
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
  /** What only the caller's dialect can express. */
  readonly extra?: Extra
  readonly declared: DeclaredSearch
}

/** How the caller requested it: its own dialect has that in its extras. */
export interface DeclaredSearch {
  readonly dialect: DialectId
  /** `tools[1]`, as messages name it. */
  readonly place: string
  /** The very object among the extra `tools`. */
  readonly tool?: JsonValue
  /** Names of the extras that contain it. */
  readonly fields: readonly string[]
}
