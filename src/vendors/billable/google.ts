import { USUAL_TIERS } from "./openai.ts"
import {
  type Charge,
  type Counted,
  LOOPED,
  mode,
  searches,
  type Switches,
  TOKENS,
  unknown,
} from "./switch.ts"

/** The search queries are in the last frame. */
const GROUNDING: readonly Counted[] = [
  { in: "items", names: ["google_search"] },
  { in: "answer", untilEnd: true },
]

/** One charge under both its names: each search counts once, whoever requested it. */
const SEARCH = searches("searches", GROUNDING)

/** ai.google.dev/gemini-api/docs/pricing: searches and maps per query, everything else by tokens. */
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
