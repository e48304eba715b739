/**
 * One case for each kind of content that a vendor can have delivered before its caller disconnects, in each dialect.
 */
import type { JsonObject } from "../../../src/canon/json.ts"
import { CHAT, HELLO } from "../support.ts"

const MESSAGES = "/v1/messages"
const RESPONSES = "/v1/responses"
const GOOGLE = "/v1beta/models"

export type Event = readonly [name: string, data: JsonObject]

/** A request, and the events at the beginning of every response to it. */
interface Dialect {
  readonly model: string
  /** The path of streamed requests, if it differs. */
  readonly stream?: string
  readonly body: JsonObject
  readonly opening: readonly Event[]
}

const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "x" }
const delta = (content: JsonObject, more: JsonObject = {}): Event => [
  "",
  { ...CHUNK, choices: [{ index: 0, delta: content, finish_reason: null, ...more }] },
]
export const event = (type: string, data: JsonObject): Event => [type, { type, ...data }]
const chunk = (candidate: JsonObject, more: JsonObject = {}): Event => [
  "",
  { candidates: [{ index: 0, ...candidate }], modelVersion: "x", responseId: "r1", ...more },
]
const part = (...parts: JsonObject[]): Event => chunk({ content: { role: "model", parts } })
const RESPONSE = { id: "resp_1", object: "response", status: "in_progress", output: [], model: "x" }
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "x", content: [] }

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  [CHAT]: {
    model: "chat/model",
    body: { messages: HELLO },
    opening: [
      ["", { ...CHUNK, choices: [], prompt_filter_results: [{ prompt_index: 0 }] }],
      delta({ role: "assistant", content: "" }, { content_filter_results: {}, logprobs: null }),
    ],
  },
  [RESPONSES]: {
    model: "responses/model",
    body: { input: "Hello" },
    opening: [
      event("response.created", { response: RESPONSE }),
      event("response.in_progress", { response: RESPONSE }),
      event("response.output_item.added", {
        output_index: 0,
        item: { id: "ws_1", type: "web_search_call", status: "in_progress" },
      }),
      event("response.web_search_call.searching", { output_index: 0, item_id: "ws_1" }),
      event("response.output_item.added", {
        output_index: 1,
        item: { id: "msg_1", type: "message", status: "in_progress", content: [] },
      }),
      event("response.content_part.added", {
        output_index: 1,
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [] },
      }),
    ],
  },
  [MESSAGES]: {
    model: "messages/model",
    body: { messages: HELLO, max_tokens: 100 },
    opening: [
      event("message_start", { message: MESSAGE }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      event("ping", {}),
    ],
  },
  [GOOGLE]: {
    model: "google/model",
    stream: `${GOOGLE}/google/model:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] },
    opening: [
      ["", { modelVersion: "x", responseId: "r1", usageMetadata: { trafficType: "ON_DEMAND" } }],
      part({ text: "" }),
      chunk({ safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "LOW" }] }),
    ],
  },
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const IMAGE = PNG.replace("==", "").repeat(8)
/** Two seconds of audio samples. */
const SOUND = Buffer.alloc(96_000, 1).toString("base64")
const WORDS = "as many words as forty letters and more "

const block = (content: JsonObject): Event =>
  event("content_block_start", { index: 1, content_block: content })
const blockDelta = (change: JsonObject): Event =>
  event("content_block_delta", { index: 1, delta: change })

interface Kind {
  readonly path: string
  readonly events: readonly Event[]
  /** The minimum usage that is charged for this content. */
  readonly min: Readonly<Record<string, number>>
}

/** One case for each kind of content that the gateway does not count as text. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "words in an item that has only been announced": {
    path: RESPONSES,
    events: [
      event("response.output_item.added", {
        output_index: 7,
        item: { id: "msg_7", type: "message", content: [{ type: "output_text", text: WORDS }] },
      }),
    ],
    min: { output: 10 },
  },
  "words in a part that has only been announced": {
    path: RESPONSES,
    events: [
      event("response.content_part.added", {
        item_id: "msg_7",
        output_index: 7,
        content_index: 0,
        part: { type: "output_text", text: WORDS },
      }),
    ],
    min: { output: 10 },
  },
  "sound of a chat": {
    path: CHAT,
    events: [delta({ audio: { id: "audio_1", data: SOUND } })],
    min: { audio_output: 50 },
  },
  "a transcript": {
    path: CHAT,
    events: [delta({ audio: { id: "audio_1", transcript: WORDS } })],
    min: { output: 10 },
  },
  "images of a chat": {
    path: CHAT,
    events: [
      delta({
        images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } }],
      }),
    ],
    min: { image_output: 1_000 },
  },
  annotations: {
    path: CHAT,
    events: [
      delta({
        annotations: [
          { type: "url_citation", url_citation: { url: "https://example.com", title: WORDS } },
        ],
      }),
    ],
    min: { output: 10 },
  },
  "thinking in a separate field": {
    path: CHAT,
    events: [delta({ thinking: WORDS })],
    min: { output: 10 },
  },
  "executed tools": {
    path: CHAT,
    events: [delta({ executed_tools: [{ type: "search", arguments: WORDS, output: WORDS }] })],
    min: { output: 20 },
  },
  "a custom tool's input in a chat": {
    path: CHAT,
    events: [
      delta({
        tool_calls: [
          { index: 0, id: "call_1", type: "custom", custom: { name: "run", input: WORDS } },
        ],
      }),
    ],
    min: { output: 10 },
  },
  "an unknown field": {
    path: CHAT,
    events: [delta({ mood: { is: WORDS } })],
    min: { output: 10 },
  },
  "an unknown field of a choice": {
    path: CHAT,
    events: [delta({}, { text: WORDS })],
    min: { output: 10 },
  },
  "an unknown field of a chunk": {
    path: CHAT,
    events: [["", { ...CHUNK, choices: [], findings: [WORDS] }]],
    min: { output: 10 },
  },
  "a custom tool's input": {
    path: RESPONSES,
    events: [event("response.custom_tool_call_input.delta", { output_index: 2, delta: WORDS })],
    min: { output: 10 },
  },
  "the code of an interpreter": {
    path: RESPONSES,
    events: [event("response.code_interpreter_call_code.delta", { output_index: 2, delta: WORDS })],
    min: { output: 10 },
  },
  "arguments of another server's tool": {
    path: RESPONSES,
    events: [event("response.mcp_call_arguments.delta", { output_index: 2, delta: WORDS })],
    min: { output: 10 },
  },
  "a draft of an image": {
    path: RESPONSES,
    events: [
      event("response.image_generation_call.partial_image", {
        output_index: 2,
        partial_image_index: 0,
        partial_image_b64: IMAGE,
      }),
    ],
    min: { image_output: 1_000 },
  },
  "an image": {
    path: RESPONSES,
    events: [
      event("response.output_item.done", {
        output_index: 2,
        item: { id: "ig_1", type: "image_generation_call", status: "completed", result: IMAGE },
      }),
    ],
    min: { image_output: 1_000 },
  },
  "findings in files": {
    path: RESPONSES,
    events: [
      event("response.output_item.done", {
        output_index: 2,
        item: { id: "fs_1", type: "file_search_call", queries: ["x"], results: [{ text: WORDS }] },
      }),
    ],
    min: { output: 10 },
  },
  "sound of a response": {
    path: RESPONSES,
    events: [event("response.output_audio.delta", { output_index: 2, delta: SOUND })],
    min: { audio_output: 50 },
  },
  "an unknown event": {
    path: RESPONSES,
    events: [event("response.dream.delta", { output_index: 2, delta: { image: WORDS } })],
    min: { output: 10 },
  },
  "a server tool's input": {
    path: MESSAGES,
    events: [
      block({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      blockDelta({ type: "input_json_delta", partial_json: `{"query":"${WORDS}"}` }),
    ],
    min: { output: 10 },
  },
  "findings on the web": {
    path: MESSAGES,
    events: [
      block({
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", title: WORDS, url: "https://example.com" }],
      }),
    ],
    min: { output: 10 },
  },
  "the output of code": {
    path: MESSAGES,
    events: [
      block({
        type: "code_execution_tool_result",
        tool_use_id: "srvtoolu_1",
        content: { type: "code_execution_result", stdout: WORDS, stderr: "", return_code: 0 },
      }),
    ],
    min: { output: 10 },
  },
  "a citation": {
    path: MESSAGES,
    events: [
      event("content_block_delta", {
        index: 0,
        delta: {
          type: "citations_delta",
          citation: { type: "web_search_result_location", cited_text: WORDS, url: "https://e.com" },
        },
      }),
    ],
    min: { output: 10 },
  },
  "withheld thinking": {
    path: MESSAGES,
    events: [
      block({ type: "thinking", thinking: "", signature: "" }),
      blockDelta({ type: "signature_delta", signature: "EpwGCkYIBxgC".repeat(10) }),
    ],
    min: { output: 10 },
  },
  "code that Gemini has run": {
    path: GOOGLE,
    events: [part({ executableCode: { language: "PYTHON", code: WORDS } })],
    min: { output: 10 },
  },
  "an image of Gemini": {
    path: GOOGLE,
    events: [part({ inlineData: { mimeType: "image/png", data: IMAGE } })],
    min: { image_output: 1_000 },
  },
  "a call of Gemini's": {
    path: GOOGLE,
    events: [part({ functionCall: { name: "f", args: { words: WORDS } } })],
    min: { output: 10 },
  },
  "web results of Gemini": {
    path: GOOGLE,
    events: [
      chunk({
        groundingMetadata: {
          groundingChunks: [{ web: { uri: "https://example.com", title: WORDS } }],
        },
      }),
    ],
    min: { output: 10 },
  },
  "an unknown part": {
    path: GOOGLE,
    events: [part({ dream: { image: WORDS } })],
    min: { output: 10 },
  },
  "an unknown event of a message": {
    path: MESSAGES,
    events: [event("dream", { image: WORDS })],
    min: { output: 10 },
  },
}

export const SEEN = "the-end-of-what-is-sent"
export const MARK: Readonly<Record<string, Event>> = {
  // A repeated opening frame adds no content. It shows that all earlier frames have arrived.
  [CHAT]: delta({ role: "assistant", content: "" }, { content_filter_results: { x: SEEN } }),
  [RESPONSES]: event("response.in_progress", { response: { ...RESPONSE, id: SEEN } }),
  [MESSAGES]: event("ping", { note: SEEN }),
  [GOOGLE]: chunk({ safetyRatings: [{ category: SEEN }] }),
}
