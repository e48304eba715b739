import type { DialectId } from "../../canon/extra.ts"
import {
  BEST_OF,
  COMPACTION,
  COMPATIBLE_CHAT_SWITCHES,
  OWN_RESPONSES_TOOLS,
  OWN_TOOLS,
  SERVICE_TIER,
  USUAL_TIERS,
} from "./openai.ts"
import {
  INTERRUPTED,
  type Charge,
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

const KNOWN_TIERS = unknown("this service tier is unknown")
const CALLS = "usage.server_side_tool_usage_details"

/** Tools are billed per call, and MCP and images by tokens (docs.x.ai/developers/pricing). */
const XAI_TOOLS: Readonly<Record<string, Charge>> = {
  ...OWN_RESPONSES_TOOLS,
  web_search: searches("searches", [
    reported(`${CALLS}.web_search_calls`),
    items("web_search_call"),
  ]),
  x_search: searches("searches", [reported(`${CALLS}.x_search_calls`), items("x_search_call")]),
  code_interpreter: code(),
  code_execution: code(),
  file_search: collections(),
  collections_search: collections(),
  mcp: LOOPED,
}

function code(): Charge {
  return searches("codeSessions", [
    reported(`${CALLS}.code_interpreter_calls`),
    items("code_interpreter_call"),
  ])
}

function collections(): Charge {
  return searches("fileSearches", [
    reported(`${CALLS}.file_search_calls`),
    items("file_search_call"),
  ])
}

/** Searches in attached files (docs.x.ai/developers/pricing, "Tool Invocation Costs"). */
const ATTACHMENTS = searches("premiumSearches", [
  reported(`${CALLS}.attachment_search_calls`),
  reported(`${CALLS}.document_search_calls`),
])

const XAI_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    BEST_OF,
    COMPACTION,
    {
      path: "search_parameters.mode",
      values: { off: TOKENS },
      otherwise: unknown("each source is billed, and their number has no limit"),
    },
  ],
  tools: XAI_TOOLS,
  files: ATTACHMENTS,
  // Images are found by the same calls, and the mode of a retrieval does not change its price.
  known: ["search_parameters.**", "tools.enable_image_search", "tools.retrieval_mode.**"],
}

/** The price of a request is already the price of the largest search (docs.perplexity.ai/guides/pricing). */
const PERPLEXITY_SWITCHES: Switches = {
  fields: [
    SERVICE_TIER,
    {
      path: "web_search_options.search_type",
      values: { fast: TOKENS },
      otherwise: {
        by: "calls",
        class: "premiumSearches",
        max: 1,
        adds: 8_000,
        counted: [{ in: "answer" }],
      },
    },
  ],
  tools: OWN_TOOLS,
  known: [
    "disable_search",
    "enable_search_classifier",
    "num_search_results",
    "search_after_date_filter",
    "search_before_date_filter",
    "search_domain_filter",
    "search_language_filter",
    "search_mode",
    "search_recency_filter",
    "web_search_options.**",
  ],
}

/** Tools are billed per call, and code by the time of its container (groq.com/pricing). */
const GROQ_SWITCHES: Switches = {
  fields: [
    BEST_OF,
    {
      path: "service_tier",
      served: ["service_tier"],
      values: { ...USUAL_TIERS, auto: TOKENS, flex: TOKENS, performance: mode("performance") },
      otherwise: KNOWN_TIERS,
    },
    {
      path: "compound_custom",
      otherwise: unknown("its models and tools are billed separately"),
    },
  ],
  tools: {
    ...OWN_TOOLS,
    browser_search: searches("searches", [items("browser_search", "browser.search", "search")]),
    code_interpreter: {
      by: "calls",
      class: "codeSessions",
      max: 1,
      adds: 8_000,
      lasts: 60,
      counted: [{ in: "items", names: ["code_interpreter", "python"], each: "type" }],
    },
    mcp: LOOPED,
  },
  known: ["search_settings.**", "disable_tool_validation"],
}

/** Mistral's connectors belong to another endpoint, and no response of this endpoint counts them. */
const MISTRAL_SWITCHES: Switches = {
  fields: [
    BEST_OF,
    {
      path: "service_tier",
      served: ["usage.service_tier"],
      values: {
        ...USUAL_TIERS,
        auto: possibleMode("priority"),
        flex: mode("flex"),
        priority: mode("priority"),
      },
      otherwise: KNOWN_TIERS,
    },
  ],
  tools: OWN_TOOLS,
}

const ZAI_SEARCH = { by: "calls", class: "searches", max: 1, adds: 8_000 } as const

/**
 * A search is billed per use. The model decides whether to search, and the response lists the results of a search if
 * the request asks for them (docs.z.ai/guides/tools/web-search).
 */
const ZAI_SWITCHES: Switches = {
  fields: [BEST_OF],
  tools: {
    ...OWN_TOOLS,
    web_search: {
      ...ZAI_SEARCH,
      counted: [{ in: "answer" }],
      insteadIf: {
        path: "web_search.search_result",
        charge: {
          ...ZAI_SEARCH,
          counted: [{ in: "items", names: ["web_search_results"], asOne: true }, INTERRUPTED],
        },
      },
    },
    retrieval: LOOPED,
  },
  // The options of both tools are in a member with the name of the tool (docs.z.ai/guides/tools/web-search).
  known: ["service_tier", "tools.web_search.**", "tools.retrieval.**"],
}

/** Zhipu has several engines with different prices, so a request cannot choose one. */
const ZHIPU_SWITCHES: Switches = {
  ...ZAI_SWITCHES,
  known: [
    "service_tier",
    "tools.retrieval.**",
    ...[
      "content_size",
      "count",
      "enable",
      "require_search",
      "result_sequence",
      "search_prompt",
    ].map((name) => `tools.web_search.${name}`),
    ...["search_domain_filter", "search_query", "search_recency_filter", "search_result"].map(
      (name) => `tools.web_search.${name}`,
    ),
  ],
  closed: ["tools.web_search"],
}

const ALIBABA_COUNT = reported("usage.plugins.search.count")

/**
 * Hits of a cache that the request marked cost less than hits of the automatic cache. A response has hits of one kind
 * only (alibabacloud.com/help/en/model-studio/context-cache).
 */
const MARKED_CACHE: FieldSwitch = {
  path: "cache_control",
  served: ["usage.prompt_tokens_details.cache_type"],
  values: { ephemeral: possibleMode("ephemeral") },
  otherwise: TOKENS,
}

/**
 * If a field enables the search, Alibaba's models decide whether to search, unless another field forces it
 * (alibabacloud.com/help/en/model-studio/web-search).
 */
const ALIBABA_SWITCHES: Switches = {
  fields: [
    BEST_OF,
    {
      path: "enable_search",
      otherwise: {
        ...searches("searches", [ALIBABA_COUNT, INTERRUPTED]),
        insteadIf: {
          path: "search_options.forced_search",
          charge: searches("searches", [ALIBABA_COUNT, { in: "answer" }]),
        },
      },
    },
    SERVICE_TIER,
    MARKED_CACHE,
  ],
  tools: OWN_TOOLS,
  // The gateway sends the budget itself (canon/separate-reasoning.ts). The options take effect if the search is
  // enabled.
  known: ["search_options.**", "thinking_budget"],
}

/** SiliconFlow's models accept the budget that the gateway sends itself (canon/separate-reasoning.ts). */
const SILICONFLOW_SWITCHES: Switches = {
  ...COMPATIBLE_CHAT_SWITCHES,
  known: [...(COMPATIBLE_CHAT_SWITCHES.known ?? []), "thinking_budget"],
}

/** Switches by vendor and dialect. */
export const OTHER_VENDORS: Readonly<Record<string, Partial<Record<DialectId, Switches>>>> = {
  xai: { "openai-chat": XAI_SWITCHES, "openai-responses": XAI_SWITCHES },
  perplexity: { "openai-chat": PERPLEXITY_SWITCHES },
  groq: { "openai-chat": GROQ_SWITCHES },
  mistral: { "openai-chat": MISTRAL_SWITCHES },
  zai: { "openai-chat": ZAI_SWITCHES },
  zhipu: { "openai-chat": ZHIPU_SWITCHES },
  alibaba: { "openai-chat": ALIBABA_SWITCHES },
  siliconflow: { "openai-chat": SILICONFLOW_SWITCHES },
}

/** Guardrails are billed in units that the usage does not report (aws.amazon.com/bedrock/pricing). */
export const BEDROCK_SWITCHES: Switches = {
  fields: [
    {
      path: "serviceTier.type",
      served: ["serviceTier.type"],
      values: {
        ...USUAL_TIERS,
        priority: mode("priority"),
        flex: mode("flex"),
        reserved: possibleMode("reserved"),
      },
      otherwise: KNOWN_TIERS,
    },
    {
      path: "performanceConfig.latency",
      served: ["performanceConfig.latency"],
      values: { standard: TOKENS, optimized: mode("optimized") },
      otherwise: mode("optimized"),
    },
    { path: "guardrailConfig", otherwise: unknown("guardrails are billed by units of text") },
  ],
  tools: { toolSpec: TOKENS, cachePoint: TOKENS },
  known: ["guardrailConfig.**"],
}

/** Documents are part of the prompt, and connectors no longer exist (docs.cohere.com/v2/reference/chat). */
export const COHERE_SWITCHES: Switches = {
  fields: [],
  tools: { function: TOKENS },
}
