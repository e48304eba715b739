import { isJsonObject, type JsonObject, type JsonValue, listAt } from "../../canon/json.ts"

/** A tool that a conversation defines, and the place of its definition. */
export interface DefinedTool {
  readonly place: string
  readonly tool: JsonObject
}

/** Whether Anthropic's messages may define tools. This is a quick check of each block. */
export function mayDefineTools({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && messages.some((message) => blocksOf(message).some(isBringing))
}

/**
 * Returns the tools that Anthropic's messages define in addition to `tools`. The types of
 * Anthropic's client allow them in messages of every role, and in the summary by which a compaction replaces messages
 * (@anthropic-ai/sdk 1.12, `BetaToolChangeToolDefinitionParam`).
 */
export function definedTools(body: JsonObject): DefinedTool[] {
  return listAt(body, "messages").flatMap((message, number) =>
    blocksOf(message).flatMap((block, index) =>
      isJsonObject(block) ? toolsOf(block, `messages[${number}].content[${index}]`) : [],
    ),
  )
}

function blocksOf(message: JsonValue): readonly JsonValue[] {
  return isJsonObject(message) && Array.isArray(message.content) ? message.content : NONE
}

const NONE: readonly JsonValue[] = []

function isBringing(block: JsonValue): boolean {
  return isJsonObject(block) && (block.type === "tool_addition" || block.type === "compaction")
}

function toolsOf(block: JsonObject, place: string): DefinedTool[] {
  if (block.type === "compaction") {
    return listAt(block, "tool_changes").flatMap((change, index) =>
      isJsonObject(change) ? toolsOf(change, `${place}.tool_changes[${index}]`) : [],
    )
  }
  const { type, tool } = block
  if (type !== "tool_addition" || !isJsonObject(tool) || !isJsonObject(tool.definition)) return []
  return [{ place: `${place}.tool.definition`, tool: tool.definition }]
}
