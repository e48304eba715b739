/** The dialect's name. */
export const DIALECT = "bedrock-converse"

/** The longest call id, and the longest tool name: `ToolUseId` and `ToolName` in Amazon's API reference. */
export const MAX_NAME_LENGTH = 64
