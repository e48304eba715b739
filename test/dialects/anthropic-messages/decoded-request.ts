import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

export function decode(fields: JsonObject): ChatRequest {
  const messages = [{ role: "user", content: "Hi" }]
  return ANTHROPIC_MESSAGES.decodeRequest({ model: "a/b", max_tokens: 100, messages, ...fields })
}
