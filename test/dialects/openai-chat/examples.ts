import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { OpenAiChatQuirks } from "../../../src/dialects/openai-chat/quirks/index.ts"

/** Quirks with which the most fields are kept. */
export const KEEPING: Partial<OpenAiChatQuirks> = {
  reasoningHistory: "details",
  reasoningForm: "object",
  cacheControl: true,
  assistantImages: true,
  fileUrls: true,
  topK: true,
}

/** A request without options. */
export const ASKED: ChatRequest = {
  model: "vendor/model",
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
  stream: false,
  streamUsage: false,
  choices: 1,
}
