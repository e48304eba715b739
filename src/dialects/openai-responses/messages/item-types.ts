/**
 * Items of a conversation that the canon has no name for, as OpenAI and xAI have them
 * (OpenAI's OpenAPI description `InputItem`). They are kept whole for this dialect, under the name of
 * their kind, by which their loss is reported to callers of another.
 */

/** What a model did: it stands in the turn of the assistant. */
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

/** What a caller adds to the conversation, or what points into one that the vendor keeps. */
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

/** Every kind of item that is taken, in the order in which an error lists them. */
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

/** Items that stand for others, which are not there to be looked at. */
const STAND_INS: ReadonlySet<unknown> = new Set(["compaction", "item_reference"])

/** Whose turn an item belongs to that the canon has no name for; undefined when it is no real one. */
export function roleOfItem(type: string): "assistant" | "user" | undefined {
  if (OF_ASSISTANT.has(type)) return "assistant"
  // Open Responses: a vendor's own items have its name ahead of a colon.
  return OF_CALLER.has(type) || type.includes(":") ? "user" : undefined
}

/** Content of a message that is kept whole in the same way. */
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  "computer_screenshot",
  "input_video",
  "summary_text",
])

/** Whether what is kept whole is content of a message, and no item. */
export function isContentType(type: string): boolean {
  return CONTENT_TYPES.has(type)
}

/** Whether a call or its output may be in what this item stands for. */
export function isStandIn(type: unknown): boolean {
  return STAND_INS.has(type)
}
