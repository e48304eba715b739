import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

export const USER: Message = { role: "user", parts: [{ type: "text", text: "Hi" }] }

export function request(fields: Partial<ChatRequest>): ChatRequest {
  return {
    model: "claude",
    messages: [USER],
    stream: false,
    streamUsage: false,
    choices: 1,
    maxTokens: 100,
    ...fields,
  }
}

export function encode(fields: Partial<ChatRequest>, dialect = ANTHROPIC_MESSAGES) {
  const { body, losses } = dialect.encodeRequest(request(fields))
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

export function encodeParts(role: Message["role"], ...parts: Part[]) {
  const { body, losses } = encode({
    messages: [...(role === "assistant" ? [USER] : []), { role, parts }],
  })
  const message = (body.messages as JsonObject[]).at(-1)
  return { content: message?.content, losses }
}

export function text(value: string): Part {
  return { type: "text", text: value }
}
