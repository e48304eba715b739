import { BEST_OF, OWN_RESPONSES_TOOLS, OWN_TOOLS, REASONING_MODE, SERVICE_TIER } from "./openai.ts"
import {
  type CallCharge,
  type FieldSwitch,
  LOOPED,
  mode,
  searches,
  type Switches,
  reported,
  TOKENS,
  unknown,
} from "./switch.ts"

/**
 * The charge of OpenRouter's searches (openrouter.ai/docs/guides/features/server-tools/web-search). Results are billed.
 * A search has five results unless the request sets another number.
 */
const SEARCHES: CallCharge = {
  ...searches("searches", [
    reported("usage.server_tool_use_details.web_search_requests"),
    { in: "answer" },
  ]),
  results: { paths: ["max_results", "parameters.max_results"], each: 5, max: 100 },
}

const MORE_EXPENSIVE = "it may choose servers that cost more than the model's price"

/** Returns a switch for faster service at a higher price, as offered by the maker of the model. */
function speed(path: string): FieldSwitch {
  return {
    path,
    served: ["usage.speed"],
    values: { standard: TOKENS, fast: mode("fast") },
    otherwise: unknown("this speed is unknown"),
  }
}

/**
 * Fields that determine which model OpenRouter uses, and on whose servers. OpenRouter also has `models` and `provider`,
 * but the gateway reads these fields itself and removes them
 * (docs/contribute/design-notes.md#routing-preferences-and-groups). They are listed so that they are not free if they
 * are ever sent.
 */
const OPENROUTER_FIELDS: readonly FieldSwitch[] = [
  SERVICE_TIER,
  BEST_OF,
  REASONING_MODE,
  speed("speed"),
  { path: "models[]", otherwise: { by: "model", how: "instead" } },
  { path: "fallbacks[]", otherwise: { by: "model", how: "instead", name: "model" } },
  { path: "route", values: { fallback: TOKENS }, otherwise: unknown(MORE_EXPENSIVE) },
  { path: "preset", otherwise: unknown("its content is stored at the provider") },
  { path: "provider.order[]", otherwise: unknown(MORE_EXPENSIVE) },
  { path: "provider.only[]", otherwise: unknown(MORE_EXPENSIVE) },
  { path: "provider.ignore[]", otherwise: unknown(MORE_EXPENSIVE) },
  { path: "provider.quantizations[]", otherwise: unknown(MORE_EXPENSIVE) },
  { path: "provider.preferred_min_throughput", otherwise: unknown(MORE_EXPENSIVE) },
  { path: "provider.preferred_max_latency", otherwise: unknown(MORE_EXPENSIVE) },
  { path: "provider.sort", values: { price: TOKENS }, otherwise: unknown(MORE_EXPENSIVE) },
  { path: "web_search_options", otherwise: SEARCHES },
  {
    path: "plugins[]",
    member: "id",
    values: {
      web: SEARCHES,
      "response-healing": TOKENS,
      "context-compression": TOKENS,
      moderation: TOKENS,
      // The gateway sets a free engine (rule `pdf_engine`).
      "file-parser": TOKENS,
    },
    otherwise: unknown("the price of this plugin is unknown"),
  },
  {
    path: "plugins[].pdf.engine",
    values: { native: TOKENS, "cloudflare-ai": TOKENS, "pdf-text": TOKENS },
    otherwise: unknown("pages are billed, and no response reports their number"),
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

/** Switches of Vercel's gateway, whose options are in `providerOptions.gateway`. */
export const VERCEL_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    BEST_OF,
    { path: "models[]", otherwise: { by: "model", how: "instead" } },
    { path: "providerOptions.gateway.models[]", otherwise: { by: "model", how: "instead" } },
    { path: "providerOptions.gateway.order[]", otherwise: unknown(MORE_EXPENSIVE) },
    { path: "providerOptions.gateway.only[]", otherwise: unknown(MORE_EXPENSIVE) },
    {
      path: "providerOptions.gateway.sort",
      values: { cost: TOKENS },
      otherwise: unknown(MORE_EXPENSIVE),
    },
    speed("providerOptions.gateway.speed"),
    // Members that Vercel passes unchanged to the makers of the models.
    speed("providerOptions.anthropic.speed"),
    { ...SERVICE_TIER, path: "providerOptions.gateway.serviceTier" },
    { ...SERVICE_TIER, path: "providerOptions.openai.serviceTier" },
  ],
  tools: OWN_TOOLS,
}
