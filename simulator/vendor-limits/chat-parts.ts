import { arrayOf, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"

/** Returns the messages of a body in either of OpenAI's formats. */
export function messagesOf(body: JsonObject): JsonObject[] {
  return arrayOf(body.messages ?? body.input).map((message) => objectOf(message))
}

/** Returns the roles of the messages, in order. */
export function rolesOf(body: JsonObject): string[] {
  return messagesOf(body).map(({ role }) => stringOf(role))
}

/** Returns the parts of a message. A text is one part. */
export function partsOf({ content }: JsonObject): JsonObject[] {
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : arrayOf(content).map((part) => objectOf(part))
}

export function countImages(body: JsonObject): number {
  return messagesOf(body)
    .flatMap(partsOf)
    .filter(({ type }) => type === "image_url" || type === "input_image").length
}

export function hasTools(body: JsonObject): boolean {
  return arrayOf(body.tools).length > 0
}

/** Whether a tool call is required. */
export function isToolForced({ tool_choice: choice }: JsonObject): boolean {
  return choice === "required" || objectOf(choice).type === "function"
}

/** Returns the kind of `response_format` or of `text.format`. */
export function formatOf(body: JsonObject): string {
  return stringOf(objectOf(body.response_format ?? objectOf(body.text).format).type)
}

/** Whether any text of the messages contains the word "JSON". */
export function hasJsonWord(body: JsonObject): boolean {
  const texts = (values: Json | undefined): string => JSON.stringify(values ?? "")
  return /json/i.test(`${texts(body.messages)}${texts(body.input)}${texts(body.instructions)}`)
}

/** Whether the last message is text of the assistant that is not marked as unfinished. */
export function endsWithAssistant(body: JsonObject, mark?: string): boolean {
  const last = messagesOf(body).at(-1)
  if (last?.role !== "assistant" || last.tool_calls !== undefined) return false
  return mark === undefined || last[mark] !== true
}
