import {
  LOOPED,
  MAX_CALLS,
  mode,
  searches,
  type Switches,
  reported,
  TOKENS,
  unknown,
} from "./switch.ts"

/** Twice the usual tokens of an advisor's response and its reasoning. */
const ADVICE = 4_096

/**
 * The charge for the time of a code execution container. It is billed in units of five minutes, and at least one unit.
 */
const CODE = {
  by: "calls",
  class: "codeSessions",
  max: 1,
  adds: 8_000,
  lasts: 300,
  counted: [
    {
      in: "items",
      names: ["code_execution", "bash_code_execution", "text_editor_code_execution"],
      each: "type",
    },
  ],
} as const

/**
 * Switches of `POST /v1/messages` of Anthropic (platform.claude.com/docs/en/about-claude/pricing and the pages of the
 * tools). The types of tools are listed without their dates.
 */
export const ANTHROPIC_SWITCHES: Switches = {
  fields: [
    {
      path: "speed",
      served: ["usage.speed"],
      values: { standard: TOKENS, fast: mode("fast") },
      otherwise: unknown("this speed is unknown"),
    },
    {
      path: "inference_geo",
      served: ["usage.inference_geo"],
      values: { global: TOKENS, us: mode("us") },
      otherwise: unknown("the price of this location is unknown"),
    },
    // In Anthropic's API, priority is capacity that was paid for in advance.
    {
      path: "service_tier",
      values: { auto: TOKENS, standard_only: TOKENS },
      otherwise: unknown("this service tier is unknown"),
    },
    { path: "fallbacks[]", otherwise: { by: "model", how: "after", name: "model" } },
    {
      path: "fallbacks[].speed",
      served: ["usage.speed"],
      values: { standard: TOKENS, fast: mode("fast") },
      otherwise: unknown("this speed is unknown"),
    },
    { path: "mcp_servers[]", otherwise: LOOPED },
    { path: "container.skills[]", otherwise: CODE },
    // Compaction reads the whole conversation again.
    { path: "compaction", otherwise: { by: "again" } },
    {
      path: "context_management.edits[].type",
      values: {
        clear_tool_uses_20250919: TOKENS,
        clear_thinking_20251015: TOKENS,
        compact_20260112: { by: "again" },
      },
      otherwise: TOKENS,
    },
  ],
  tools: {
    // The caller's own tools have this type, or no type.
    custom: TOKENS,
    // Prompt tokens that each of these tools adds, including those that any tool adds (from the tools' pages), plus a
    // margin.
    bash: { by: "tokens", adds: 800 },
    text_editor: { by: "tokens", adds: 1_400 },
    computer: { by: "tokens", adds: 2_000 },
    memory: TOKENS,
    tool_search_tool_regex: TOKENS,
    tool_search_tool_bm25: TOKENS,
    mcp_toolset: LOOPED,
    web_search: searches(
      "searches",
      [
        reported("usage.server_tool_use.web_search_requests"),
        // A failed search is not billed, which is only visible in the reported count.
        { in: "items", names: ["web_search"], unlessReported: true },
      ],
      "max_uses",
    ),
    // Tokens of a long page. A PDF may exceed 100,000 tokens.
    web_fetch: {
      by: "tokens",
      adds: 25_000,
      calls: MAX_CALLS,
      limit: "max_uses",
      resultLimit: "max_content_tokens",
    },
    code_execution: CODE,
    // The advisor reads the conversation. The request's output limit does not apply to its output.
    advisor: {
      by: "model",
      how: "alongside",
      name: "model",
      max: 3,
      limit: "max_uses",
      outputTokens: ADVICE,
      outputLimit: "max_tokens",
      adds: ADVICE,
    },
  },
  // platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool, "Usage and pricing".
  included: { code_execution: { beside: ["web_search", "web_fetch"], since: "20260209" } },
  known: [
    "container.skills.**",
    "fallbacks.model",
    "fallbacks.output_config.**",
    "fallbacks.thinking.**",
    "mcp_servers.**",
  ],
  closed: ["fallbacks"],
}
