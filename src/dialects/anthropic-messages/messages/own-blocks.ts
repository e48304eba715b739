import { extraOf } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, listAt, textAt } from "../../../canon/json.ts"
import type { TextPart } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"

/**
 * Content blocks of Anthropic's API that the canon cannot represent: results of server tools, sources, and markers in
 * long conversations. They are kept unchanged and sent only in this dialect (`ContentBlockParam` and
 * `BetaContentBlockParam` of the official client).
 */
export const OWN_BLOCKS: ReadonlySet<string> = new Set([
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

/** Content blocks within a tool result that the canon cannot represent. */
export const OWN_RESULT_BLOCKS: ReadonlySet<string> = new Set(["browser_state"])

/** Texts that replace blocks of Anthropic's API for providers of other formats. */
const SPOKEN_BLOCKS: Readonly<Record<string, (block: JsonObject) => string>> = {
  search_result: (block) => {
    const texts = listAt(block, "content").map((part) => isJsonObject(part) && textAt(part, "text"))
    return [textAt(block, "title"), textAt(block, "source"), ...texts].filter(Boolean).join("\n")
  },
  tool_reference: (block) => `Found the tool \`${textAt(block, "tool_name") ?? ""}\`.`,
}

/** The types of the blocks that text can replace. */
export const SPOKEN_TYPES: readonly string[] = Object.keys(SPOKEN_BLOCKS)

/**
 * Returns a block of Anthropic's API together with the text that replaces it for providers of other formats; undefined
 * for any other block.
 */
export function spokenBlock(block: JsonObject): TextPart | undefined {
  const { type } = block
  if (typeof type !== "string" || !Object.hasOwn(SPOKEN_BLOCKS, type)) return undefined
  const text = SPOKEN_BLOCKS[type]?.(block) ?? ""
  return { type: "text", text, standsFor: extraOf(DIALECT, block) }
}
