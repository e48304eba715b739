import {
  BEST_OF,
  MODEL_ENTRY,
  OWN_RESPONSES_TOOLS,
  OWN_TOOLS,
  REASONING_MODE,
  SERVICE_TIER,
} from "./openai.ts"
import {
  type CallCharge,
  type Charge,
  type FieldSwitch,
  MAX_CALLS,
  mode,
  searches,
  type Switches,
  reported,
  RESULT_TOKENS,
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
  {
    path: "fallbacks[]",
    members: MODEL_ENTRY,
    otherwise: { by: "model", how: "instead", name: "model" },
  },
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

/**
 * The charge of OpenRouter's fetched pages. Other engines than these bill each page, and no class covers pages
 * (openrouter.ai/tool/web-fetch).
 */
const WEB_FETCH: Charge = {
  by: "tokens",
  adds: RESULT_TOKENS,
  calls: MAX_CALLS,
  limit: "parameters.max_uses",
  resultLimit: "parameters.max_content_tokens",
  free: { path: "parameters.engine", values: ["openrouter", "native"] },
}

export const OPENROUTER_SWITCHES: Switches = {
  fields: OPENROUTER_FIELDS,
  tools: {
    ...OWN_RESPONSES_TOOLS,
    "openrouter:datetime": TOKENS,
    "openrouter:web_search": SEARCHES,
    "openrouter:web_fetch": WEB_FETCH,
    web_search: SEARCHES,
    web_search_preview: SEARCHES,
  },
}

/**
 * The known members of Vercel's `providerOptions`, by the maker of the model. Members that are not listed may add
 * tokens beyond the output limit, tools, or service modes, such as `anthropic.thinking`, whose budget is added to the
 * limit (`@ai-sdk/anthropic`, anthropic-language-model.ts).
 */
const VERCEL_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    "models",
    "order",
    "only",
    "sort",
    "speed",
    "serviceTier",
    "user",
    "tags",
    "caching",
    "byok",
    "quotaEntityId",
    "providerTimeouts",
    "zeroDataRetention",
    "disallowPromptTraining",
    "hipaaCompliant",
  ],
  openai: [
    "serviceTier",
    "reasoningEffort",
    "reasoningSummary",
    "textVerbosity",
    "parallelToolCalls",
    "logitBias",
    "logprobs",
    "metadata",
    "promptCacheKey",
    "safetyIdentifier",
    "store",
    "strictJsonSchema",
    "structuredOutputs",
    "systemMessageMode",
    "user",
  ],
  anthropic: [
    "speed",
    "cacheControl",
    "effort",
    "sendReasoning",
    "disableParallelToolUse",
    "structuredOutputMode",
    "toolStreaming",
  ],
  google: ["thinkingConfig", "safetySettings", "structuredOutputs"],
  vertex: ["thinkingConfig", "safetySettings", "structuredOutputs"],
  xai: ["reasoningEffort", "parallel_function_calling"],
}

/** The known members in messages, their parts and tools, which mark the end of a cached prompt. */
const VERCEL_MARKS: typeof VERCEL_OPTIONS = { anthropic: ["cacheControl"] }

/** Returns the switches for the options at a place of the request, such as its messages. */
function vercelOptions(place: string, options = VERCEL_MARKS): FieldSwitch[] {
  const path = `${place}providerOptions`
  return [
    { path, members: Object.keys(options), otherwise: TOKENS },
    ...Object.entries(options).map(([maker, members]) => ({
      path: `${path}.${maker}`,
      members,
      otherwise: TOKENS,
    })),
    // Without a lifetime, cached prompts are kept for five minutes, which the hold covers.
    { path: `${path}.anthropic.cacheControl`, members: ["type"], otherwise: TOKENS },
  ]
}

/** A model that answers in place of the requested one. Responses name `X` if `X-fast` has answered. */
const VERCEL_FALLBACK: Charge = { by: "model", how: "instead", isFastUnnamed: true }

/** Switches of Vercel's gateway, whose options are in `providerOptions.gateway`. */
export const VERCEL_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    BEST_OF,
    ...vercelOptions("", VERCEL_OPTIONS),
    ...vercelOptions("messages[]."),
    ...vercelOptions("messages[].content[]."),
    ...vercelOptions("tools[]."),
    ...vercelOptions("tools[].function."),
    { path: "thinking", otherwise: unknown("its budget is added to the output limit") },
    { path: "models[]", members: MODEL_ENTRY, otherwise: VERCEL_FALLBACK },
    { path: "providerOptions.gateway.models[]", members: MODEL_ENTRY, otherwise: VERCEL_FALLBACK },
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
