import { afterAll, beforeAll, expect, test } from "bun:test"
import { wave } from "../support/audio.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"
import { form } from "./operations/transcription/audio-world.ts"
import { CHAT, HELLO } from "./support.ts"

/** A charge to the operator. It has too many digits to occur in a port, a time or an id. */
const COST = 7071.828182845
/** An id of the operator's account at a provider. */
const ACCOUNT = "acct-of-operator"

const COSTS = {
  cost: COST,
  cost_details: { total: COST },
  cost_in_usd_ticks: COST,
  estimated_cost: COST,
  market_cost: COST,
  billing: { plan: COST },
  input_cost: COST,
  total_price: `${COST}`,
  credits_used: COST,
  spend: COST,
}
/** Members of a whole response or an event with data of the operator. */
const OPERATOR = {
  cost: COST,
  estimated_cost: COST,
  x_request_cost: COST,
  total_cost: COST,
  remaining_credits: COST,
  balance: `${COST}`,
  pricing: { input: COST },
  team_id: ACCOUNT,
  key_alias: ACCOUNT,
  _hidden_params: { response_cost: COST, api_base: ACCOUNT },
  provider_metadata: { gateway: { cost: `${COST}`, marketCost: `${COST}` } },
  user_id: ACCOUNT,
  organization: ACCOUNT,
  organization_id: ACCOUNT,
  org_id: ACCOUNT,
  project_id: ACCOUNT,
  project: ACCOUNT,
  account: ACCOUNT,
  account_id: ACCOUNT,
}

const CHAT_USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...COSTS }
const TOKEN_USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15, ...COSTS }
const MESSAGE = { role: "assistant", content: "hello" }
const GEMINI = {
  ...OPERATOR,
  candidates: [
    { index: 0, content: { role: "model", parts: [{ text: "hello" }] }, finishReason: "STOP" },
  ],
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    totalTokenCount: 15,
    ...COSTS,
  },
  modelVersion: "m",
  responseId: "r",
}
const RESPONSE = {
  ...OPERATOR,
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hello", annotations: [] }],
    },
  ],
  usage: TOKEN_USAGE,
}
const CLAUDE = {
  ...OPERATOR,
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: TOKEN_USAGE,
}
const COHERE = {
  ...OPERATOR,
  id: "c",
  finish_reason: "COMPLETE",
  message: { role: "assistant", content: [{ type: "text", text: "hello" }] },
  usage: { billed_units: { input_tokens: 10, output_tokens: 5 }, ...COSTS },
}
const CHUNK = { ...OPERATOR, id: "c", object: "chat.completion.chunk", created: 1, model: "m" }
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

/** Whole responses by the end of the path. */
const WHOLE: Readonly<Record<string, object>> = {
  "/v1/chat/completions": {
    ...CHUNK,
    object: "chat.completion",
    choices: [{ index: 0, message: MESSAGE, finish_reason: "stop" }],
    usage: CHAT_USAGE,
  },
  "/v1/responses": RESPONSE,
  "/v1/messages": CLAUDE,
  ":generateContent": GEMINI,
  "/v2/chat": COHERE,
  "/v1/embeddings": {
    ...OPERATOR,
    data: [{ ...OPERATOR, index: 0, embedding: [1, 0] }],
    usage: CHAT_USAGE,
  },
  "/v1/rerank": {
    ...OPERATOR,
    results: [{ ...OPERATOR, index: 0, relevance_score: 0.5 }],
    usage: CHAT_USAGE,
  },
  "/v1/moderations": {
    ...OPERATOR,
    results: [
      { ...OPERATOR, flagged: false, categories: { hate: false }, category_scores: { hate: 0 } },
    ],
    usage: CHAT_USAGE,
  },
  "/v1/images/generations": {
    ...OPERATOR,
    created: 1,
    data: [{ ...OPERATOR, b64_json: PIXEL }],
    usage: TOKEN_USAGE,
  },
  "/v1/audio/transcriptions": {
    ...OPERATOR,
    task: "transcribe",
    text: "hello",
    language: "english",
    duration: 1,
    segments: [{ id: 0, start: 0, end: 1, text: "hello" }],
    words: [{ word: "hello", start: 0, end: 1 }],
    usage: { type: "tokens", ...TOKEN_USAGE },
  },
}

/** Events of streamed responses by the end of the path. */
const STREAMED: Readonly<Record<string, readonly object[]>> = {
  "/v1/chat/completions": [
    { ...CHUNK, choices: [{ index: 0, delta: MESSAGE, finish_reason: null }] },
    { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...CHUNK, choices: [], usage: CHAT_USAGE },
  ],
  "/v1/responses": [
    {
      ...OPERATOR,
      type: "response.created",
      response: { ...RESPONSE, status: "in_progress", output: [], usage: null },
    },
    {
      ...OPERATOR,
      type: "response.output_item.added",
      output_index: 0,
      item: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "in_progress",
        content: [],
      },
    },
    {
      ...OPERATOR,
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: "hello",
    },
    { ...OPERATOR, type: "response.completed", response: RESPONSE },
  ],
  "/v1/messages": [
    {
      ...OPERATOR,
      type: "message_start",
      message: { ...CLAUDE, content: [], stop_reason: null },
    },
    {
      ...OPERATOR,
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    },
    {
      ...OPERATOR,
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "hello" },
    },
    { ...OPERATOR, type: "content_block_stop", index: 0 },
    { ...OPERATOR, type: "message_delta", delta: { stop_reason: "end_turn" }, usage: TOKEN_USAGE },
    { type: "message_stop" },
  ],
  ":streamGenerateContent": [GEMINI],
  "/v1/images/generations": [
    {
      ...OPERATOR,
      type: "image_generation.partial_image",
      partial_image_index: 0,
      b64_json: PIXEL,
    },
    { ...OPERATOR, type: "image_generation.completed", b64_json: PIXEL, usage: TOKEN_USAGE },
  ],
  "/v1/audio/transcriptions": [
    { ...OPERATOR, type: "transcript.text.delta", delta: "hello" },
    { ...OPERATOR, type: "transcript.text.done", text: "hello", usage: TOKEN_USAGE },
  ],
  "/v1/audio/speech": [
    { ...OPERATOR, type: "speech.audio.delta", audio: "aGVsbG8gaGVsbG8=" },
    { ...OPERATOR, type: "speech.audio.done", usage: TOKEN_USAGE },
  ],
}

let server: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const text = await request.text()
  const isStream = /"stream":true|name="stream"\r\n\r\ntrue|sse|"stream_format"/.test(text)
  const named = <T>(responses: Readonly<Record<string, T>>): T | undefined =>
    Object.entries(responses).find(([end]) => pathname.endsWith(end))?.[1]
  const events = isStream || pathname.includes("stream") ? named(STREAMED) : undefined
  if (events === undefined) {
    const whole = named(WHOLE)
    return whole ? Response.json(whole) : new Response(`no ${pathname}`, { status: 404 })
  }
  const frames = events.map((event) => {
    const name = "type" in event ? `event: ${String(event.type)}\n` : ""
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  const end = pathname.endsWith("/chat/completions") ? "data: [DONE]\n\n" : ""
  return new Response(frames.join("") + end, { headers: { "content-type": "text/event-stream" } })
}

beforeAll(async () => {
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond })
  const root = `http://127.0.0.1:${server.port}`
  const operation = (kind: "embedding" | "rerank" | "moderation" | "image") => ({
    kind,
    price: { input: "1", output: "2", image_output: "30" },
  })
  gateway = await startGateway({
    providers: {
      own: provider(`${root}/v1`, "openai-compatible"),
      openai: provider(`${root}/v1`, "openai"),
      anthropic: provider(root, "anthropic"),
      google: provider(root, "google"),
      cohere: provider(root, "cohere"),
    },
    models: {
      "own/chat": simulated({ dialects: ["openai-chat"] }),
      "openai/responses": simulated({ dialects: ["openai-responses"] }),
      "anthropic/chat": simulated(),
      "google/chat": simulated(),
      "cohere/chat": simulated(),
      "own/vectors": operation("embedding"),
      "own/rank": operation("rerank"),
      "openai/omni-moderation": operation("moderation"),
      "openai/gpt-image-1": operation("image"),
      "openai/gpt-4o-transcribe": {
        kind: "transcription",
        price: { audio_input: "1", input: "1", output: "2" },
      },
      "openai/whisper-1": { kind: "transcription", price: { second: "100" } },
      "openai/gpt-4o-mini-tts": { kind: "speech", price: { input: "1", audio_output: "2" } },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server.stop(true)
})

const CHAT_MODELS = ["own/chat", "openai/responses", "anthropic/chat", "google/chat", "cohere/chat"]
const CONTENTS = [{ role: "user", parts: [{ text: "Hi" }] }]
const MESSAGES = { messages: HELLO, max_tokens: 100 }

const REQUESTS: readonly (readonly [path: string, body: object])[] = [
  ...CHAT_MODELS.flatMap((model) =>
    [false, true]
      .filter((stream) => !stream || !model.startsWith("cohere"))
      .flatMap((stream): [string, object][] => [
        [CHAT, { model, ...MESSAGES, stream }],
        ["/v1/messages", { model, ...MESSAGES, stream }],
        ["/v1/responses", { model, input: "Hi", stream }],
        [
          `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
          { contents: CONTENTS },
        ],
      ]),
  ),
  ["/v1/embeddings", { model: "own/vectors", input: "Hi" }],
  ["/v1beta/models/own/vectors:embedContent", { content: CONTENTS[0] ?? {} }],
  ["/v1/rerank", { model: "own/rank", query: "Hi", documents: ["Hi"] }],
  ["/v1/moderations", { model: "openai/omni-moderation", input: "Hi" }],
  ["/v1/images/generations", { model: "openai/gpt-image-1", prompt: "Hi" }],
  [
    "/v1/images/generations",
    { model: "openai/gpt-image-1", prompt: "Hi", stream: true, partial_images: 1 },
  ],
  [
    "/v1/audio/speech",
    { model: "openai/gpt-4o-mini-tts", input: "Hi", voice: "alloy", stream_format: "sse" },
  ],
]

function checked(status: number, text: string): void {
  expect([status, text]).toEqual([200, expect.any(String)])
  expect(text).not.toContain(`${COST}`)
  expect(text).not.toContain(ACCOUNT)
}

test.each(REQUESTS)("%s contains no data of the operator: %j", async (path, body) => {
  const response = await caller.post(path, body)
  checked(response.status, await response.text())
})

test.each([
  { model: "openai/gpt-4o-transcribe" },
  { model: "openai/gpt-4o-transcribe", stream: "true" },
  { model: "openai/whisper-1", response_format: "verbose_json" },
])("a transcription contains no data of the operator: %j", async (fields) => {
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form(fields, wave(1)),
  })
  const text = await response.text()
  checked(response.status, text)
  expect(text).toContain("hello")
})
