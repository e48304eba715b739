import type { DialectId } from "../../src/canon/extra.ts"
import type { ClientDialect, UpstreamDialect } from "../../src/canon/dialect.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../../src/dialects/bedrock-converse/index.ts"
import { COHERE_CHAT } from "../../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../../src/dialects/openai-responses/index.ts"

export const CLIENTS: readonly ClientDialect[] = [
  OPENAI_CHAT,
  ANTHROPIC_MESSAGES,
  OPENAI_RESPONSES,
  GEMINI,
]

export const UPSTREAMS: readonly UpstreamDialect[] = [
  OPENAI_CHAT,
  OPENAI_RESPONSES,
  ANTHROPIC_MESSAGES,
  GEMINI,
  BEDROCK_CONVERSE,
  COHERE_CHAT,
]

/** For each dialect, a model that supports many features. */
export const MODELS: Readonly<Record<DialectId, string>> = {
  "openai-chat": "gpt-5.1",
  "openai-responses": "gpt-5.1",
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-3-pro-preview",
  "bedrock-converse": "anthropic.claude-sonnet-4-5-20250929-v1:0",
  "cohere-chat": "command-a-reasoning-08-2025",
}
