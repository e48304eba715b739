import type { JsonObject, JsonValue } from "../conversation.ts"

/** A message of a chat body, parsed for clients with other formats. */
export interface ChatMessage {
  readonly role: "user" | "assistant"
  readonly parts: readonly ({ readonly text: string } | { readonly image: string })[]
}

/** A parsed chat body. */
export interface ChatFacts {
  readonly model: string
  readonly system: string
  readonly messages: readonly ChatMessage[]
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly maxTokens: number | undefined
  readonly effort: string | undefined
  readonly stop: readonly string[]
  /** Names of all other fields. */
  readonly others: readonly string[]
}

const KNOWN = [
  "model",
  "messages",
  "temperature",
  "top_p",
  "max_tokens",
  "reasoning_effort",
  "stop",
  "stream",
  "stream_options",
]

/** Parses a body written by `chatBody`. */
export function chatFacts(body: JsonObject): ChatFacts {
  const messages = arrayOf(body["messages"]).map(objectOf)
  return {
    model: textOf(body["model"]),
    system: messages
      .filter((message) => message["role"] === "system")
      .map((message) => textOf(message["content"]))
      .join("\n\n"),
    messages: messages.filter((message) => message["role"] !== "system").map(messageOf),
    temperature: numberOf(body["temperature"]),
    topP: numberOf(body["top_p"]),
    maxTokens: numberOf(body["max_tokens"]),
    effort: typeof body["reasoning_effort"] === "string" ? body["reasoning_effort"] : undefined,
    stop: arrayOf(body["stop"]).map(textOf),
    others: Object.keys(body).filter((name) => !KNOWN.includes(name)),
  }
}

function messageOf(message: JsonObject): ChatMessage {
  const role = message["role"] === "assistant" ? "assistant" : "user"
  const { content } = message
  if (typeof content === "string") return { role, parts: [{ text: content }] }
  const parts = arrayOf(content).map((item) => {
    const part = objectOf(item)
    if (part["type"] !== "image_url") return { text: textOf(part["text"]) }
    return { image: textOf(objectOf(part["image_url"])["url"]) }
  })
  return { role, parts }
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function objectOf(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject ? (value as JsonObject) : {}
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : ""
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined
}
