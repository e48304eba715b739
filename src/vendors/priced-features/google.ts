import { USUAL_TIERS } from "./openai.ts"
import {
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

/** The search queries are in the last frame: one that ends earlier counts as one search. */
const BROKEN_OFF: Counted = { in: "answer", untilEnd: true }

/** One charge under both its names: each distinct query counts once, even if it was requested several times. */
const SEARCH = searches("searches", [
  { in: "items", names: ["google_search"], each: "query" },
  BROKEN_OFF,
])

/** All searches for a prompt are billed as one. */
const SEARCH_OF_PROMPT: Charge = {
  by: "calls",
  class: "searches",
  max: 1,
  adds: RESULT_TOKENS * MAX_CALLS,
  counted: [{ in: "items", names: ["google_search"], asOne: true }, BROKEN_OFF],
}

/** ai.google.dev/gemini-api/docs/pricing: searches per query, maps per prompt, everything else by tokens. */
const TOOLS: Readonly<Record<string, Charge>> = {
  functionDeclarations: TOKENS,
  googleSearch: SEARCH,
  googleSearchRetrieval: SEARCH,
  googleMaps: {
    by: "calls",
    class: "mapSearches",
    max: 1,
    adds: 8_000,
    counted: [{ in: "answer" }],
  },
  urlContext: LOOPED,
  codeExecution: LOOPED,
  computerUse: TOKENS,
  fileSearch: LOOPED,
}

/** `generateContent` of the Gemini API and of Vertex AI. */
export const GEMINI_SWITCHES: Switches = {
  fields: [
    {
      path: "serviceTier",
      served: ["usageMetadata.serviceTier", "usageMetadata.trafficType"],
      values: { ...USUAL_TIERS, priority: mode("priority"), flex: mode("flex") },
      otherwise: unknown("this class of service is not known"),
    },
    { path: "cachedContent", otherwise: unknown("keeping it is billed by the hour") },
  ],
  tools: TOOLS,
}

/** Models whose searches are billed per prompt (ai.google.dev/gemini-api/docs/google-search, "Pricing"). */
export const OLDER_GEMINI = /^(?:models\/)?gemini-[12](?:[.-]|$)/i

/** The same for Gemini 2.5 and older. */
export const OLDER_GEMINI_SWITCHES: Switches = {
  ...GEMINI_SWITCHES,
  tools: { ...TOOLS, googleSearch: SEARCH_OF_PROMPT, googleSearchRetrieval: SEARCH_OF_PROMPT },
}
