/**
 * Items of conversations at OpenAI and xAI that the canon cannot represent (OpenAI's OpenAPI description `InputItem`).
 * They are kept unchanged for this dialect under the name of their type. Other dialects report the loss under the same
 * name.
 */

/** Items that are actions of a model, within an assistant's turn. */
const ASSISTANT_ITEMS = [
  "file_search_call",
  "web_search_call",
  "x_search_call",
  "computer_call",
  "code_interpreter_call",
  "image_generation_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "tool_search_call",
  "program",
  "compaction",
] as const

/** Items that a caller adds to the conversation, or that refer to state stored by the vendor. */
const CALLER_ITEMS = [
  "computer_call_output",
  "local_shell_call_output",
  "shell_call_output",
  "apply_patch_call_output",
  "mcp_approval_response",
  "tool_search_output",
  "program_output",
  "additional_tools",
  "configuration_update",
  "compaction_trigger",
  "item_reference",
] as const

/** All accepted types of items, in the order in which an error lists them. */
export const ITEM_TYPES: readonly string[] = [
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
  ...ASSISTANT_ITEMS,
  ...CALLER_ITEMS,
]

const OF_ASSISTANT: ReadonlySet<string> = new Set(ASSISTANT_ITEMS)
const OF_CALLER: ReadonlySet<string> = new Set(CALLER_ITEMS)

/** Items that stand for other items, which cannot be checked here. */
const STAND_INS: ReadonlySet<unknown> = new Set(["compaction", "item_reference"])

/** Returns the role of an item that the canon cannot represent; undefined for an unknown type. */
export function roleOfItem(type: string): "assistant" | "user" | undefined {
  if (OF_ASSISTANT.has(type)) return "assistant"
  // By the Open Responses specification, the types of a vendor's own items start with its name and a colon.
  return OF_CALLER.has(type) || type.includes(":") ? "user" : undefined
}

/** Types of message content that is kept unchanged, like these items. */
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  "computer_screenshot",
  "input_video",
  "summary_text",
])

/** Whether a type that is kept unchanged is the type of message content and not of an item. */
export function isContentType(type: string): boolean {
  return CONTENT_TYPES.has(type)
}

/** Whether this item may replace a call or its output. */
export function isStandIn(type: unknown): boolean {
  return STAND_INS.has(type)
}
