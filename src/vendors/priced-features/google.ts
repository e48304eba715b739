import { USUAL_TIERS } from "./openai.ts"
import {
  INTERRUPTED,
  type Charge,
  type Counted,
  LOOPED,
  MAX_CALLS,
  mode,
  RESULT_TOKENS,
  searches,
  type Switches,
  TOKENS,
  unknown,
} from "./switch.ts"

/**
 * The charge for searches, which are reported under two names, in the last frame of a stream. Each distinct query
 * counts once, even if it was requested several times.
 */
const SEARCH = searches("searches", [
  { in: "items", names: ["google_search"], each: "query" },
  INTERRUPTED,
])

/** The charge for searches by older models. All searches for a prompt are billed as one. */
const SEARCH_OF_PROMPT: Charge = {
  by: "calls",
  class: "searches",
  max: 1,
  adds: RESULT_TOKENS * MAX_CALLS,
  counted: [{ in: "items", names: ["google_search"], asOne: true }, INTERRUPTED],
}

/** A source of Google Maps in the response. */
const MAPS_SOURCE: Counted = { in: "items", names: ["google_maps_source"], asOne: true }

/** The charge for maps, whose queries are listed with those of searches. */
const MAPS: Charge = {
  ...searches("mapSearches", [
    { in: "items", names: ["google_maps", "google_search"], each: "query" },
    MAPS_SOURCE,
    INTERRUPTED,
  ]),
  listedWith: "searches",
}

/** The charge for maps of older models. A prompt is billed if the response has a source of Google Maps. */
const MAPS_OF_PROMPT: Charge = {
  by: "calls",
  class: "mapSearches",
  max: 1,
  adds: RESULT_TOKENS,
  counted: [MAPS_SOURCE, INTERRUPTED],
}

/**
 * Searches and maps are billed per query (ai.google.dev/gemini-api/docs/maps-grounding, "Pricing and rate limits"), all
 * other tools by tokens (ai.google.dev/gemini-api/docs/pricing).
 */
const TOOLS: Readonly<Record<string, Charge>> = {
  functionDeclarations: TOKENS,
  googleSearch: SEARCH,
  googleSearchRetrieval: SEARCH,
  googleMaps: MAPS,
  urlContext: LOOPED,
  codeExecution: LOOPED,
  computerUse: TOKENS,
  fileSearch: LOOPED,
}

/** Switches of `generateContent` in the Gemini API and Vertex AI. */
export const GEMINI_SWITCHES: Switches = {
  fields: [
    {
      path: "serviceTier",
      served: ["usageMetadata.serviceTier", "usageMetadata.trafficType"],
      values: { ...USUAL_TIERS, priority: mode("priority"), flex: mode("flex") },
      otherwise: unknown("this service tier is unknown"),
    },
    { path: "cachedContent", otherwise: unknown("its storage is billed by the hour") },
  ],
  tools: TOOLS,
}

/**
 * Matches models whose searches and maps are billed per prompt (ai.google.dev/gemini-api/docs/google-search,
 * "Pricing").
 */
export const OLDER_GEMINI = /^(?:models\/)?gemini-[12](?:[.-]|$)/i

/** Switches for Gemini 2.5 and older models. */
export const OLDER_GEMINI_SWITCHES: Switches = {
  ...GEMINI_SWITCHES,
  tools: {
    ...TOOLS,
    googleSearch: SEARCH_OF_PROMPT,
    googleSearchRetrieval: SEARCH_OF_PROMPT,
    googleMaps: MAPS_OF_PROMPT,
  },
}
