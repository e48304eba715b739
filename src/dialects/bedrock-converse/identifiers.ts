export const DIALECT = "bedrock-converse"

/** Maximum length of a call id or a tool name: `ToolUseId` and `ToolName` in Amazon's API reference. */
export const MAX_NAME_LENGTH = 64
