import {
  type Charge,
  type Counted,
  type FieldSwitch,
  items,
  LOOPED,
  mode,
  possibleMode,
  searches,
  type Switches,
  reported,
  TOKENS,
  unknown,
} from "./switch.ts"

/** Values of the default service tier in all dialects. */
export const USUAL_TIERS: Readonly<Record<string, Charge>> = {
  default: TOKENS,
  standard: TOKENS,
  on_demand: TOKENS,
  standard_only: TOKENS,
}

/**
 * The switch for the service tier. `auto` leaves the tier to the vendor's settings, which may choose the more expensive
 * tier.
 */
export const SERVICE_TIER: FieldSwitch = {
  path: "service_tier",
  served: ["service_tier"],
  values: {
    ...USUAL_TIERS,
    auto: possibleMode("priority"),
    priority: mode("priority"),
    // OpenAI's name for `priority` since July 2026.
    fast: mode("priority"),
    ultrafast: mode("ultrafast"),
    flex: mode("flex"),
    batch: mode("batch"),
    // Capacity that was paid for in advance. Requests that exceed it are served in the default tier.
    scale: possibleMode("scale"),
  },
  otherwise: unknown("this service tier is unknown"),
}

/** The switch for `best_of`. All choices are billed, although only the best one is returned. */
export const BEST_OF: FieldSwitch = { path: "best_of", otherwise: { by: "outputs" } }

/**
 * The switch for the reasoning mode. The mode `pro` reasons in several passes, and the request's output limit does not
 * include their tokens.
 */
export const REASONING_MODE: FieldSwitch = {
  path: "reasoning.mode",
  values: { standard: TOKENS },
  otherwise: { by: "again" },
}

/** The switch for compaction, which reads the whole conversation again. */
export const COMPACTION: FieldSwitch = {
  path: "context_management[].type",
  values: { compaction: { by: "again" } },
  otherwise: TOKENS,
}

/** Tools that the caller runs. Only the model's output for them is billed. */
export const OWN_TOOLS: Readonly<Record<string, Charge>> = { function: TOKENS, custom: TOKENS }

const SEARCH_ITEMS: Counted = { in: "items", names: ["web_search_call"], done: ["search"] }
const SEARCHES = searches("searches", [
  reported("tool_usage.web_search.num_requests"),
  SEARCH_ITEMS,
])

/**
 * Older types of the search tool. They cost more for a model that does not reason, so the hold always covers the higher
 * price.
 */
const PREVIEW_SEARCHES = searches("premiumSearches", [
  reported("tool_usage.web_search.num_requests"),
  SEARCH_ITEMS,
])

/** Containers are billed by their memory, for each twenty minutes (developers.openai.com/api/docs/pricing). */
const CONTAINER = {
  by: "calls",
  class: "codeSessions",
  max: 1,
  adds: 8_000,
  lasts: 1_200,
} as const
const MEMORY = { "1g": 1, "4g": 4, "16g": 16, "64g": 64 } as const

/** Tools of the Responses API that agents run. Agents send them to any server with this API. */
export const OWN_RESPONSES_TOOLS: Readonly<Record<string, Charge>> = {
  ...OWN_TOOLS,
  // The tools in a namespace are listed separately.
  namespace: TOKENS,
  tool_search: TOKENS,
  local_shell: TOKENS,
  apply_patch: TOKENS,
  computer: TOKENS,
  computer_use_preview: TOKENS,
  // A shell in a container of the vendor is another tool, and is billed as such.
  shell: TOKENS,
  "shell/local": TOKENS,
}

/** Tools of the Responses API that OpenAI runs. */
const RESPONSES_TOOLS: Readonly<Record<string, Charge>> = {
  ...OWN_RESPONSES_TOOLS,
  mcp: LOOPED,
  web_search: SEARCHES,
  web_search_preview: PREVIEW_SEARCHES,
  // A result adds twenty chunks of 800 tokens each (developers.openai.com/api/docs/guides/tools-file-search).
  file_search: { ...searches("fileSearches", [items("file_search_call")]), adds: 16_000 },
  code_interpreter: {
    ...CONTAINER,
    sizes: { path: "container.memory_limit", units: MEMORY },
    counted: [{ in: "items", names: ["code_interpreter_call"], each: "container_id" }],
  },
  "shell/container_auto": {
    ...CONTAINER,
    sizes: { path: "environment.memory_limit", units: MEMORY },
    counted: [{ in: "items", names: ["shell_call"], each: "environment.container_id" }],
  },
  "shell/container_reference": {
    ...CONTAINER,
    counted: [{ in: "items", names: ["shell_call"], each: "environment.container_id" }],
  },
  image_generation: {
    by: "model",
    how: "alongside",
    name: "model",
    usual: "gpt-image-2",
    max: 4,
    outputTokens: 10_000,
    usage: "tool_usage.image_gen",
  },
}

/** The switch for search options, for models that always search. */
const SEARCH_OPTIONS: FieldSwitch = {
  path: "web_search_options",
  otherwise: {
    by: "calls",
    class: "premiumSearches",
    max: 1,
    adds: 8_000,
    counted: [{ in: "answer" }],
  },
}

/** Switches of `POST /v1/chat/completions` at OpenAI and Azure. */
export const OPENAI_CHAT_SWITCHES: Switches = {
  fields: [SERVICE_TIER, SEARCH_OPTIONS, BEST_OF, REASONING_MODE],
  tools: OWN_TOOLS,
  known: ["web_search_options.**"],
}

/** Switches of `POST /v1/responses` at OpenAI and Azure. */
export const OPENAI_RESPONSES_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    REASONING_MODE,
    {
      path: "multi_agent.enabled",
      otherwise: unknown("the number of models that generate the response is unknown"),
    },
    COMPACTION,
  ],
  maxCalls: "max_tool_calls",
  tools: RESPONSES_TOOLS,
}

/**
 * The part of a table about searches and lists of fallback models. LiteLLM applies all members of an entry to the call
 * of that model (docs.litellm.ai, "Client-Side Fallbacks"), so an entry may only name its model.
 */
export const ROUTER_FIELDS: Pick<Switches, "known" | "closed"> = {
  known: ["fallbacks.model", "web_search_options.**"],
  // LiteLLM also reads Google's tools in `functions`.
  closed: ["fallbacks", "functions", "models"],
}

/** Switches for servers of unknown vendors. Tools that the caller does not run have no price. */
export const COMPATIBLE_CHAT_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    BEST_OF,
    { path: "web_search_options", otherwise: SEARCHES },
    { path: "models[]", otherwise: { by: "model", how: "instead" } },
    { path: "fallbacks[]", otherwise: { by: "model", how: "after", name: "model" } },
  ],
  tools: OWN_TOOLS,
  ...ROUTER_FIELDS,
}

export const COMPATIBLE_RESPONSES_SWITCHES: Switches = {
  fields: [...COMPATIBLE_CHAT_SWITCHES.fields, COMPACTION],
  tools: {
    ...OWN_RESPONSES_TOOLS,
    web_search: SEARCHES,
    web_search_preview: SEARCHES,
    file_search: RESPONSES_TOOLS.file_search ?? LOOPED,
  },
  ...ROUTER_FIELDS,
}
