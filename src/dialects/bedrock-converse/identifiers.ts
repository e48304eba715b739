/** What this dialect calls itself. */
export const DIALECT = "bedrock-converse"

/** The longest id of a call, and the longest name of a tool: Amazon's description has `ToolUseId` and `ToolName`. */
export const LONGEST_NAME = 64
