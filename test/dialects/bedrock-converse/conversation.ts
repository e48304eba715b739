import type { Message, Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { bodyOf } from "./fixtures.ts"

export function text(words: string, more: object = {}): Part {
  return { type: "text", text: words, ...more }
}

export function user(...parts: Part[]): Message {
  return { role: "user", parts }
}

export function assistant(...parts: Part[]): Message {
  return { role: "assistant", parts }
}

export function system(...parts: Part[]): Message {
  return { role: "system", parts }
}

export function call(id: string, name = "look", input = "{}"): Part {
  return { type: "tool-call", id, name, arguments: input }
}

export function result(id: string, words: string, more: object = {}): Part {
  return {
    type: "tool-result",
    id,
    content: [{ type: "text", text: words }],
    ...more,
  } as Part
}

export function tool(...parts: Part[]): Message {
  return { role: "tool", parts }
}

/** Returns the content of the last message. */
export function contentOf(...messages: Message[]): JsonObject[] {
  const sent = bodyOf({ messages }).messages as { content: JsonObject[] }[]
  return sent.at(-1)!.content
}
