import type { DialectId } from "../../src/canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"

/** The content of each choice of a response, read without using the gateway's code. */
export interface Reading {
  readonly texts: readonly string[]
  readonly refusals: readonly string[]
  readonly calls: readonly (readonly ReadCall[])[]
}

export interface ReadCall {
  readonly name: string
  /** The arguments as an object, or as text if they are not an object. */
  readonly input: JsonValue
}

interface ReadChoice {
  readonly text: string
  readonly refusal: string
  readonly calls: readonly ReadCall[]
}

/** Reads a response that is not streamed in its own dialect. */
export function readAnyResponse(dialect: DialectId, body: JsonObject): Reading {
  const choices = READERS[dialect](body)
  return {
    texts: choices.map(({ text }) => text),
    refusals: choices.map(({ refusal }) => refusal),
    calls: choices.map(({ calls }) => calls),
  }
}

const READERS: Readonly<Record<DialectId, (body: JsonObject) => ReadChoice[]>> = {
  "openai-chat": readCompletion,
  "openai-responses": readResponse,
  "anthropic-messages": readMessage,
  gemini: readGemini,
  "bedrock-converse": readConverse,
  "cohere-chat": readCohere,
}

function readCompletion({ choices }: JsonObject): ReadChoice[] {
  return list(choices).map(({ message }) => {
    const { content, refusal, tool_calls: calls, function_call: called } = object(message)
    const isText = typeof content === "string"
    const functions = list(calls).map((call) => object(call.function ?? call.custom))
    // Snowflake adds a call without a name to every message.
    if (isJsonObject(called) && called.name) functions.push(called)
    return {
      text: isText ? content : textOf(content),
      refusal: typeof refusal === "string" ? refusal : "",
      calls: functions.map(({ name, input, arguments: written = JSON.stringify({ input }) }) =>
        readCall(name, written),
      ),
    }
  })
}

/** Returns the text of content, which may be a list of parts. For a schema, Cloudflare's content is an object. */
function textOf(content: JsonValue | undefined): string {
  if (isJsonObject(content)) return JSON.stringify(content)
  return textsOf(list(content).filter(({ type }) => type === "text"))
}

function readResponse({ output }: JsonObject): ReadChoice[] {
  const items = list(output)
  const said = items
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => list(content))
  const calls = items.filter(({ type }) => type === "function_call" || type === "custom_tool_call")
  return [
    {
      text: textsOf(said),
      refusal: said.map(({ refusal }) => refusal ?? "").join(""),
      calls: calls.map(({ name, input, arguments: written = JSON.stringify({ input }) }) =>
        readCall(name, written),
      ),
    },
  ]
}

function readMessage({ content }: JsonObject): ReadChoice[] {
  const blocks = list(content)
  const calls = blocks.filter(({ type }) => type === "tool_use")
  return [
    {
      text: textsOf(blocks.filter(({ type }) => type === "text")),
      refusal: "",
      calls: calls.map(({ name, input }) => readCall(name, input)),
    },
  ]
}

function readGemini({ candidates }: JsonObject): ReadChoice[] {
  const read = list(candidates).map(({ content }) => {
    const parts = list(object(content).parts)
    const calls = parts.flatMap((part) =>
      isJsonObject(part.functionCall) && part.thought !== true ? [part.functionCall] : [],
    )
    return {
      text: textsOf(parts.filter(({ thought }) => thought !== true)),
      refusal: "",
      calls: calls.map(({ name, args }) => readCall(name, args)),
    }
  })
  // The response to a blocked prompt has no candidates.
  return read.length === 0 ? [{ text: "", refusal: "", calls: [] }] : read
}

function readConverse({ output }: JsonObject): ReadChoice[] {
  const blocks = list(object(object(output).message).content)
  const calls = blocks.flatMap(({ toolUse }) =>
    isJsonObject(toolUse) && toolUse.type !== "server_tool_use" ? [toolUse] : [],
  )
  const texts = blocks.flatMap((block) => {
    const cited = object(block.citationsContent)
    return [block, ...list(cited.content)]
  })
  return [
    {
      text: textsOf(texts),
      refusal: "",
      calls: calls.map(({ name, input }) => readCall(name, input)),
    },
  ]
}

function readCohere({ message }: JsonObject): ReadChoice[] {
  const { content, tool_calls: calls } = object(message)
  return [
    {
      text: textsOf(list(content)),
      refusal: "",
      calls: list(calls).map((call) => {
        const { name, arguments: written } = object(call.function)
        return readCall(name, written)
      }),
    },
  ]
}

/** Reads a call. Empty arguments belong to a tool without parameters (docs/contribute/wire/README.md#f3). */
function readCall(name: JsonValue | undefined, written: JsonValue | undefined): ReadCall {
  const isNone = written === undefined || written === null || written === "" || written === "null"
  if (isNone) return { name: String(name), input: {} }
  return { name: String(name), input: typeof written === "string" ? parsed(written) : written }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

function textsOf(parts: readonly JsonObject[]): string {
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("")
}

export function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

export function object(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
