import type { DialectId } from "../../canon/extra.ts"
import { ANTHROPIC_SWITCHES } from "./anthropic.ts"
import {
  BEST_OF,
  COMPACTION,
  COMPATIBLE_CHAT_SWITCHES,
  COMPATIBLE_RESPONSES_SWITCHES,
  ROUTER_FIELDS,
  OWN_RESPONSES_TOOLS,
  OWN_TOOLS,
  REASONING_MODE,
  SERVICE_TIER,
} from "./openai.ts"
import {
  INTERRUPTED,
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
 * The charge for OpenRouter's searches (openrouter.ai/docs/guides/features/server-tools/web-search). Results are
 * billed. A search has five results unless the request sets another number.
 */
const SEARCHES: CallCharge = {
  ...searches("searches", [
    // Both forms are documented, for the same number.
    reported("usage.server_tool_use_details.web_search_requests"),
    reported("usage.server_tool_use.web_search_requests"),
    // Without a number, the output items or the citations of the text show that the model has searched.
    { in: "items", names: ["web_search_call", "openrouter:web_search"], unlessReported: true },
    { in: "items", names: ["url_citation"], asOne: true, unlessReported: true },
    INTERRUPTED,
  ]),
  // Searches of most vendors ignore this limit (@openrouter/sdk 1.3.19, `WebSearchServerToolConfig`).
  raisedBy: ["max_uses", "parameters.max_uses"],
  results: { paths: ["max_results", "parameters.max_results"], each: 5, max: 100 },
}

/** The charge for the plugin, which searches once for each request. */
const PLUGIN_SEARCHES: CallCharge = {
  ...SEARCHES,
  counted: [...SEARCHES.counted, { in: "answer" }],
}

const SEARCH_MODE: Omit<FieldSwitch, "path"> = {
  values: { auto: TOKENS, basic: TOKENS, fast: TOKENS, instant: TOKENS, turbo: TOKENS },
  otherwise: unknown("the price of this search mode is unknown"),
}

const X_SEARCH = unknown("posts and profiles are billed, and no response reports their number")

const MORE_EXPENSIVE = "it may choose servers that cost more than the model's price"

/** Returns a switch for the faster and more expensive service that the maker of the model offers. */
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
  COMPACTION,
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
  { ...SEARCH_MODE, path: "web_search_options.mode" },
  { path: "web_search_options.x_search", otherwise: X_SEARCH },
  { ...SEARCH_MODE, path: "plugins[].mode" },
  { path: "plugins[].x_search", otherwise: X_SEARCH },
  { ...SEARCH_MODE, path: "tools[].mode" },
  { path: "tools[].x_search", otherwise: X_SEARCH },
  {
    path: "plugins[]",
    member: "id",
    values: {
      web: PLUGIN_SEARCHES,
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
 * The members of a search's `parameters` that have no separate price. Searches on X are billed by posts and profiles,
 * and searches in a deeper mode may cost more (@openrouter/sdk 1.3.19, `WebSearchServerToolConfig`).
 */
const SEARCH_PARAMETERS = [
  "allowed_domains",
  "engine",
  "excluded_domains",
  "max_characters",
  "max_results",
  "max_total_results",
  "max_uses",
  "search_context_size",
  "user_location",
] as const

/**
 * The charge for pages that OpenRouter fetches. All engines except these two bill each page, and no class covers pages
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

/**
 * The members of `image_config` without a separate price. Fonts and references of Sourceful's models are billed
 * (openrouter.ai/docs/guides/overview/multimodal/image-generation).
 */
const IMAGE_CONFIG = [
  "aspect_ratio",
  "background",
  "image_size",
  "quality",
  "rgb_colors",
  "strength",
  "style",
].map((name) => `image_config.${name}.**`)

export const OPENROUTER_SWITCHES: Switches = {
  isRouter: true,
  fields: OPENROUTER_FIELDS,
  known: [
    ...(ROUTER_FIELDS.known ?? []),
    ...IMAGE_CONFIG,
    "plugins.search_prompt",
    "plugins.user_location.**",
    "provider.allow_fallbacks",
    "provider.max_price.**",
    "provider.sort.**",
    "stop_server_tools_when.**",
  ],
  closed: [...(ROUTER_FIELDS.closed ?? []), "image_config"],
  tools: {
    ...OWN_RESPONSES_TOOLS,
    "openrouter:datetime": TOKENS,
    "openrouter:web_search": SEARCHES,
    "openrouter:web_fetch": WEB_FETCH,
    web_search: SEARCHES,
    web_search_preview: SEARCHES,
  },
  parameters: {
    "openrouter:datetime": ["timezone"],
    "openrouter:web_fetch": [
      "allowed_domains",
      "blocked_domains",
      "engine",
      "max_content_tokens",
      "max_uses",
    ],
    "openrouter:web_search": SEARCH_PARAMETERS,
    web_search: SEARCH_PARAMETERS,
    web_search_preview: SEARCH_PARAMETERS,
  },
}

const CLAUDE_OPTIONS = [
  "disableParallelToolUse",
  "effort",
  "sendReasoning",
  "structuredOutputMode",
  "toolStreaming",
] as const
const GPT_OPTIONS = [
  "logitBias",
  "logprobs",
  "metadata",
  "parallelToolCalls",
  "promptCacheKey",
  "reasoningEffort",
  "reasoningSummary",
  "safetyIdentifier",
  "store",
  "strictJsonSchema",
  "structuredOutputs",
  "systemMessageMode",
  "textVerbosity",
  "user",
] as const
// Gemini's output limit includes its thinking.
const GEMINI_OPTIONS = [
  "labels",
  "responseModalities",
  "safetySettings",
  "structuredOutputs",
  "thinkingConfig",
] as const
const GROK_OPTIONS = ["parallel_function_calling", "reasoningEffort"] as const

/**
 * Members of Vercel's options that have no separate price. All others are rejected, because Vercel passes them on to
 * the makers of the models. There they may be thinking beyond the output limit, tools, other limits or service modes.
 */
const VERCEL_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    "byok",
    "caching",
    "disallowPromptTraining",
    "hipaaCompliant",
    "providerTimeouts",
    "quotaEntityId",
    "zeroDataRetention",
  ],
  anthropic: CLAUDE_OPTIONS,
  vertexAnthropic: CLAUDE_OPTIONS,
  azure: GPT_OPTIONS,
  openai: GPT_OPTIONS,
  google: GEMINI_OPTIONS,
  vertex: GEMINI_OPTIONS,
  spacexai: GROK_OPTIONS,
  xai: GROK_OPTIONS,
}

/** Vercel adds a thinking budget to the output limit (`@ai-sdk/anthropic`, anthropic-language-model.ts). */
const ADDED_BUDGET = unknown("its budget is added to the output limit")

/** Values that Vercel counts (vercel.com/docs/ai-gateway/capabilities/custom-reporting, "Pricing"). */
const REPORTED = unknown("each value is billed for the reports of the provider's account")

/** A model that answers in place of the requested one. Responses name `X` if `X-fast` has answered. */
const VERCEL_FALLBACK: Charge = { by: "model", how: "instead", isFastUnnamed: true }

/** Switches of Vercel's gateway, whose options are in `providerOptions.gateway`. */
export const VERCEL_SWITCHES: Switches = {
  isRouter: true,
  fields: [
    SERVICE_TIER,
    BEST_OF,
    { path: "models[]", otherwise: VERCEL_FALLBACK },
    { path: "providerOptions.gateway.models[]", otherwise: VERCEL_FALLBACK },
    { path: "providerOptions.gateway.order[]", otherwise: unknown(MORE_EXPENSIVE) },
    { path: "providerOptions.gateway.only[]", otherwise: unknown(MORE_EXPENSIVE) },
    {
      path: "providerOptions.gateway.sort",
      values: { cost: TOKENS },
      otherwise: unknown(MORE_EXPENSIVE),
    },
    { path: "providerOptions.gateway.tags", otherwise: REPORTED },
    { path: "providerOptions.gateway.user", otherwise: REPORTED },
    speed("providerOptions.gateway.speed"),
    // Members that Vercel passes unchanged to the makers of the models.
    speed("providerOptions.anthropic.speed"),
    { ...SERVICE_TIER, path: "providerOptions.gateway.serviceTier" },
    { ...SERVICE_TIER, path: "providerOptions.openai.serviceTier" },
    {
      path: "thinking",
      member: "type",
      values: { adaptive: TOKENS, disabled: TOKENS },
      otherwise: ADDED_BUDGET,
    },
    { path: "reasoning.max_tokens", otherwise: ADDED_BUDGET },
  ],
  tools: OWN_TOOLS,
  known: [
    ...Object.entries(VERCEL_OPTIONS).flatMap(([maker, members]) =>
      members.map((member) => `providerOptions.${maker}.${member}.**`),
    ),
    "providerOptions.anthropic.cacheControl.type",
  ],
  closed: [
    "functions",
    "models",
    "providerOptions",
    "providerOptions.gateway.models",
    "providerOptions.anthropic.cacheControl",
    ...Object.keys(VERCEL_OPTIONS).map((maker) => `providerOptions.${maker}`),
  ],
  // Without a lifetime, a prompt is cached for five minutes, which every hold covers.
  options: {
    providerOptions: [
      "anthropic.cacheControl.type",
      "google.thoughtSignature",
      "openai.imageDetail",
    ],
  },
}

/** Switches in addition to those of a dialect, for servers that may apply their own instructions. */
export const ROUTER_SWITCHES: Partial<Record<DialectId, Switches>> = {
  "openai-chat": { ...COMPATIBLE_CHAT_SWITCHES, isRouter: true },
  "openai-responses": { ...COMPATIBLE_RESPONSES_SWITCHES, isRouter: true },
  "anthropic-messages": { ...ANTHROPIC_SWITCHES, isRouter: true },
}
