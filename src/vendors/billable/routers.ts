import { BEST_OF, OWN_RESPONSES_TOOLS, OWN_TOOLS, SERVICE_TIER } from "./openai.ts"
import {
  type FieldSwitch,
  LOOPED,
  searches,
  type Switches,
  told,
  TOKENS,
  unknown,
} from "./switch.ts"

/** OpenRouter's searches: openrouter.ai/docs/guides/features/server-tools/web-search */
const SEARCHES = searches("searches", [
  told("usage.server_tool_use_details.web_search_requests"),
  { in: "answer" },
])

const DEARER = "it may choose servers that cost more than the model's price"

/** Fields by which OpenRouter is told which model and whose servers answer. */
const OPENROUTER_FIELDS: readonly FieldSwitch[] = [
  SERVICE_TIER,
  BEST_OF,
  { path: "models[]", otherwise: { by: "model", how: "instead" } },
  { path: "fallbacks[]", otherwise: { by: "model", how: "instead", name: "model" } },
  { path: "route", values: { fallback: TOKENS }, otherwise: unknown(DEARER) },
  { path: "preset", otherwise: unknown("what it says is kept at the vendor") },
  { path: "provider.order[]", otherwise: unknown(DEARER) },
  { path: "provider.only[]", otherwise: unknown(DEARER) },
  { path: "provider.ignore[]", otherwise: unknown(DEARER) },
  { path: "provider.quantizations[]", otherwise: unknown(DEARER) },
  { path: "provider.sort", values: { price: TOKENS }, otherwise: unknown(DEARER) },
  { path: "web_search_options", otherwise: SEARCHES },
  {
    path: "plugins[].id",
    values: {
      web: SEARCHES,
      "response-healing": TOKENS,
      "context-compression": TOKENS,
      moderation: TOKENS,
    },
    otherwise: unknown("what this plugin costs is not known"),
  },
]

export const OPENROUTER_SWITCHES: Switches = {
  fields: OPENROUTER_FIELDS,
  tools: {
    ...OWN_RESPONSES_TOOLS,
    "openrouter:datetime": TOKENS,
    "openrouter:web_search": SEARCHES,
    "openrouter:web_fetch": LOOPED,
    web_search: SEARCHES,
    web_search_preview: SEARCHES,
  },
}

/** Vercel's gateway is told in `providerOptions.gateway`. */
export const VERCEL_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    BEST_OF,
    { path: "models[]", otherwise: { by: "model", how: "instead" } },
    { path: "providerOptions.gateway.models[]", otherwise: { by: "model", how: "instead" } },
    { path: "providerOptions.gateway.order[]", otherwise: unknown(DEARER) },
    { path: "providerOptions.gateway.only[]", otherwise: unknown(DEARER) },
  ],
  tools: OWN_TOOLS,
}
