import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { GOOGLE } from "./google-format.ts"

/** The address of the gateway, and a key. */
export interface Door {
  readonly url: string
  readonly key: string
}

/** The response that a caller receives, with its HTTP status and headers. */
export interface CallerResponse {
  readonly status: number
  readonly headers: Headers
  /** The complete response. For a stream, it is the result of the official client's accumulator. */
  readonly body: JsonObject
  /** The stream as received. If the response is not streamed, its JSON text. */
  readonly text: string
  /** The error that the official client threw instead of a response. */
  readonly failure?: Error
}

/** One of the callers' dialects, and its official client. */
export interface CallerFormat {
  readonly dialect: DialectId
  readonly path: string
  /** Returns the path for a request; absent: always `path`. */
  addressOf?(request: JsonObject): string
  /** Returns a minimal request for a model with the given tools. */
  request(model: string, tools: readonly string[]): JsonObject
  /** Requests a stream through the official client, and reads it to its end. */
  stream(door: Door, request: JsonObject, fetch: Fetch): Promise<unknown>
}

type Fetch = (...asked: Parameters<typeof fetch>) => Promise<Response>

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} }
const HELLO = "Hello"

const CHAT: CallerFormat = {
  dialect: "openai-chat",
  path: "/v1/chat/completions",
  request: (model, tools) => ({
    model,
    messages: [{ role: "user", content: HELLO }],
    ...listed(tools, (name) => ({
      type: "function",
      function: { name, parameters: NO_ARGUMENTS },
    })),
  }),
  stream(door, request, fetch) {
    const client = openAi(door, fetch)
    const asked = { ...request, stream: true, stream_options: { include_usage: true } }
    return client.chat.completions
      .stream(asked as unknown as OpenAI.ChatCompletionCreateParamsStreaming)
      .finalChatCompletion()
  },
}

const MESSAGES: CallerFormat = {
  dialect: "anthropic-messages",
  path: "/v1/messages",
  request: (model, tools) => ({
    model,
    max_tokens: 100_000,
    messages: [{ role: "user", content: HELLO }],
    ...listed(tools, (name) => ({ name, input_schema: NO_ARGUMENTS })),
  }),
  stream(door, request, fetch) {
    const client = new Anthropic({
      authToken: door.key,
      apiKey: null,
      baseURL: door.url,
      maxRetries: 0,
      fetch,
    })
    const asked = request as unknown as Anthropic.MessageCreateParamsNonStreaming
    return client.messages.stream(asked).finalMessage()
  },
}

const RESPONSES: CallerFormat = {
  dialect: "openai-responses",
  path: "/v1/responses",
  request: (model, tools) => ({
    model,
    input: HELLO,
    ...listed(tools, (name) => ({
      type: "function",
      name,
      parameters: NO_ARGUMENTS,
      strict: false,
    })),
  }),
  stream(door, request, fetch) {
    const client = openAi(door, fetch)
    type Asked = Parameters<typeof client.responses.stream>[0]
    return client.responses.stream(request as unknown as Asked).finalResponse()
  },
}

export const CALLER_FORMATS = [CHAT, MESSAGES, RESPONSES, GOOGLE] as const

/** Returns the path to which a request is sent. */
export function addressOf(callerFormat: CallerFormat, request: JsonObject): string {
  return callerFormat.addressOf?.(request) ?? callerFormat.path
}

function listed(names: readonly string[], declare: (name: string) => JsonObject): JsonObject {
  return names.length === 0 ? {} : { tools: names.map(declare) }
}

function openAi({ url, key }: Door, fetch: Fetch): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0, fetch })
}

/** Requests a response that is not streamed. */
export async function askWhole(
  callerFormat: CallerFormat,
  door: Door,
  request: JsonObject,
): Promise<CallerResponse> {
  const response = await fetch(door.url + addressOf(callerFormat, request), {
    method: "POST",
    headers: { authorization: `Bearer ${door.key}`, "content-type": "application/json" },
    body: JSON.stringify(request),
  })
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, body: JSON.parse(text) as JsonObject }
}

/** Requests a stream with the official client, and records the raw bytes as well. */
export async function askStream(
  callerFormat: CallerFormat,
  door: Door,
  request: JsonObject,
): Promise<CallerResponse> {
  let heard: { response: Response; text: Promise<string> } | undefined
  const listening: Fetch = async (...asked) => {
    const response = await fetch(...asked)
    heard = { response, text: response.clone().text() }
    return response
  }
  let body: JsonObject = {}
  let failure: Error | undefined
  try {
    const whole = await callerFormat.stream(door, request, listening)
    body = JSON.parse(JSON.stringify(whole)) as JsonObject
  } catch (error) {
    failure = error as Error
  }
  if (heard === undefined) throw failure ?? new Error("the client did not ask")
  const { status, headers } = heard.response
  // A client that throws has also disconnected.
  const text = await heard.text.catch(() => "")
  const answer = { status, headers, body, text }
  return failure === undefined ? answer : { ...answer, failure }
}
