/**
 * Content blocks of Anthropic's API that the canon does not have: results of server tools, sources, and markers
 * in long conversations. They are kept unchanged, for this dialect alone (`ContentBlockParam` and
 * `BetaContentBlockParam` of the official client).
 */
export const OWN_BLOCKS: ReadonlySet<string> = new Set([
  "search_result",
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "advisor_tool_result",
  "mcp_tool_use",
  "mcp_tool_result",
  "mcp_tool_listing",
  "container_upload",
  "compaction",
  "fallback",
  "tool_addition",
  "tool_removal",
])

/** The same, inside a tool result. */
export const OWN_RESULT_BLOCKS: ReadonlySet<string> = new Set([
  "search_result",
  "tool_reference",
  "browser_state",
])
