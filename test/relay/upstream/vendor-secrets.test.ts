import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import { startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { eventFrame, frameOf } from "../../wire/event-stream-frames.ts"
import { wave } from "../../support/audio.ts"

/** A secret that no caller may see, in any form in which a vendor repeats it. */
const KEY = "sk-live/canary+0123456789=ABCDEFGHIJ"
const HEADER = "team-canary-9876543210-header"
const AWS = {
  accessKeyId: "AKIACANARY1234567890",
  secretAccessKey: "aws/canary+secret0123456789abcdefgh",
}
const SECRETS = [KEY, HEADER, AWS.accessKeyId, AWS.secretAccessKey]
const CANARIES = SECRETS.flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  btoa(secret),
  Buffer.from(secret).toString("base64url"),
  Buffer.from(secret).toString("hex"),
])
/** A message that is longer than any message that is passed on, so that it is cut in the middle of a secret. */
const WORDS = `no: ${CANARIES.join(" ")} ${KEY.repeat(80)}`

/** An error body with the error members of all vendors. */
const ERROR = {
  type: "error",
  message: WORDS,
  detail: WORDS,
  errors: [WORDS],
  name: KEY,
  error: { type: KEY, code: KEY, param: KEY, status: KEY, message: WORDS },
}

type Way = "rejected" | "failed" | "credential" | "ok-with-error" | "stream-error" | "broken-later"
const WAYS: readonly Way[] = [
  "rejected",
  "failed",
  "credential",
  "ok-with-error",
  "stream-error",
  "broken-later",
]
const STATUSES: Readonly<Partial<Record<Way, number>>> = {
  rejected: 400,
  failed: 500,
  credential: 401,
}

const UPSTREAMS = {
  "openai-chat": { vendor: "openai-compatible", apiKey: KEY },
  "openai-responses": { vendor: "openai", apiKey: KEY, dialects: ["openai-responses"] },
  "anthropic-messages": { vendor: "anthropic", apiKey: KEY },
  gemini: { vendor: "google", apiKey: KEY },
  "bedrock-converse": { vendor: "bedrock", region: "us-east-1", ...AWS },
  "cohere-chat": { vendor: "cohere", apiKey: KEY },
} as const
type Upstream = keyof typeof UPSTREAMS

function event(data: object, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

const CHUNK = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" }
const RESPONSE = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [] }

/** For each dialect, the beginning of a stream with some text, and the ways to report a failure. */
const STREAMS: Readonly<
  Record<Upstream, { begun: string | Buffer; ends: readonly (string | Buffer)[] }>
> = {
  "openai-chat": {
    begun: event({
      ...CHUNK,
      choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }],
    }),
    ends: [event({ error: ERROR.error }), event({ ...CHUNK, choices: [], error: ERROR.error })],
  },
  "openai-responses": {
    begun:
      event(
        { type: "response.created", response: { ...RESPONSE, status: "in_progress" } },
        "response.created",
      ) +
      event(
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { type: "message", id: "m", role: "assistant", content: [] },
        },
        "response.output_item.added",
      ) +
      event(
        {
          type: "response.output_text.delta",
          output_index: 0,
          content_index: 0,
          item_id: "m",
          delta: "Hi",
        },
        "response.output_text.delta",
      ),
    ends: [
      event({ type: "error", message: WORDS, code: KEY, param: KEY }, "error"),
      event(
        {
          type: "response.failed",
          response: { ...RESPONSE, status: "failed", error: ERROR.error },
        },
        "response.failed",
      ),
    ],
  },
  "anthropic-messages": {
    begun:
      event(
        {
          type: "message_start",
          message: {
            id: "m",
            type: "message",
            role: "assistant",
            content: [],
            model: "m",
            usage: { input_tokens: 1, output_tokens: 1 },
          },
        },
        "message_start",
      ) +
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ) +
      event(
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
        "content_block_delta",
      ),
    ends: [event({ type: "error", error: ERROR.error }, "error")],
  },
  gemini: {
    begun: event({
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hi" }] } }],
    }),
    ends: [event({ error: ERROR.error })],
  },
  "bedrock-converse": {
    begun: Buffer.concat([
      eventFrame("messageStart", '{"role":"assistant"}'),
      eventFrame("contentBlockDelta", '{"contentBlockIndex":0,"delta":{"text":"Hi"}}'),
    ]),
    ends: [
      frameOf(
        {
          ":message-type": "exception",
          ":exception-type": "validationException",
          ":content-type": "application/json",
        },
        JSON.stringify({ message: WORDS }),
      ),
      frameOf(
        { ":message-type": "error", ":error-code": "x", ":error-message": WORDS.slice(0, 3_000) },
        "",
      ),
    ],
  },
  "cohere-chat": {
    begun:
      event({
        type: "message-start",
        id: "m",
        delta: { message: { role: "assistant", content: [] } },
      }) +
      event({
        type: "content-start",
        index: 0,
        delta: { message: { content: { type: "text", text: "" } } },
      }) +
      event({ type: "content-delta", index: 0, delta: { message: { content: { text: "Hi" } } } }),
    ends: [event({ type: "message-end", delta: { finish_reason: "ERROR", error: WORDS } })],
  },
}

/** How the vendor reacts to the next request. */
let next: { way: Way; upstream: Upstream; end: number } = {
  way: "rejected",
  upstream: "gemini",
  end: 0,
}

function answer(): Response {
  const { way, upstream, end } = next
  const status = STATUSES[way]
  if (status !== undefined) return Response.json(ERROR, { status })
  if (way === "ok-with-error") return Response.json(ERROR)
  const { begun, ends } = STREAMS[upstream]
  const framing =
    upstream === "bedrock-converse" ? "application/vnd.amazon.eventstream" : "text/event-stream"
  const last = Buffer.from(ends[end] ?? "")
  const bytes = way === "stream-error" ? last : Buffer.concat([Buffer.from(begun), last])
  return new Response(bytes, { headers: { "content-type": framing } })
}

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => answer() })
  const common = {
    baseUrl: `http://127.0.0.1:${vendor.port}`,
    headers: { "x-team": HEADER },
    knownModels: false,
    origin: "file",
  } as const
  const providers = Object.entries(UPSTREAMS).map(([id, settings]): [string, ProviderSettings] => [
    id,
    { ...common, ...settings },
  ])
  const price = { input: "1", output: "2" }
  const models = Object.keys(UPSTREAMS).map((id): [string, ModelSettings] => [
    `${id}/m`,
    { kind: "chat", price, context: 9_000, maxOutput: 100 },
  ])
  gateway = await startGateway({
    providers: Object.fromEntries(providers),
    models: {
      ...Object.fromEntries(models),
      "openai-chat/embed": { kind: "embedding", price },
      "cohere-chat/rank": { kind: "rerank", price: { search: "1" } },
      "openai-chat/moderate": { kind: "moderation", price: { input: "0" } },
      "openai-chat/gpt-image-1": { kind: "image", price: { image: "1" } },
      "openai-chat/say": { kind: "speech", price: { character: "1" } },
      "openai-chat/hear": { kind: "transcription", price: { second: "1" } },
    },
  })
  caller = await gateway.caller("1000")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

/** Asserts that a text contains no secret, and no part of a secret that is long enough to be useful. */
function expectClean(text: string): void {
  for (const canary of CANARIES) expect(text).not.toContain(canary)
  for (const secret of SECRETS) {
    for (let at = 0; at + 12 <= secret.length; at++) {
      expect(text.toLowerCase()).not.toContain(secret.slice(at, at + 12).toLowerCase())
    }
  }
}

async function told(response: Promise<Response>): Promise<string> {
  const { headers, body } = await response.then(async (known) => ({
    headers: JSON.stringify([...known.headers]),
    body: await known.text().catch(() => "(cut)"),
  }))
  return `${headers} ${body}`
}

const MESSAGES = [{ role: "user", content: "Hello" }]
const CALLER_FORMATS: Readonly<
  Record<string, (model: string, stream: boolean) => [path: string, body: object]>
> = {
  chat: (model, stream) => ["/v1/chat/completions", { model, stream, messages: MESSAGES }],
  messages: (model, stream) => [
    "/v1/messages",
    { model, stream, messages: MESSAGES, max_tokens: 50 },
  ],
  responses: (model, stream) => ["/v1/responses", { model, stream, input: "Hello" }],
  google: (model, stream) => [
    `/v1beta/models/${model}:${stream ? "streamGenerateContent" : "generateContent"}`,
    { contents: [{ parts: [{ text: "Hello" }] }] },
  ],
}

describe("a vendor whose response contains the operator's secrets", () => {
  for (const callerFormat of Object.keys(CALLER_FORMATS)) {
    for (const upstream of Object.keys(UPSTREAMS) as Upstream[]) {
      test(`reveals no secret to a caller of ${callerFormat}, called as ${upstream}`, async () => {
        for (const way of WAYS) {
          for (const stream of [false, true]) {
            for (const end of STREAMS[upstream].ends.keys()) {
              next = { way, upstream, end }
              const [path, body] = CALLER_FORMATS[callerFormat]?.(`${upstream}/m`, stream) ?? []
              const text = await told(caller.post(path ?? "", body))
              expectClean(text)
              expect(text).toMatch(/error/)
            }
          }
        }
      })
    }
  }

  const operations: Readonly<Record<string, () => Promise<Response>>> = {
    embeddings: () => caller.post("/v1/embeddings", { model: "openai-chat/embed", input: "a" }),
    rerank: () =>
      caller.post("/v1/rerank", { model: "cohere-chat/rank", query: "a", documents: ["b"] }),
    moderations: () =>
      caller.post("/v1/moderations", { model: "openai-chat/moderate", input: "a" }),
    images: () =>
      caller.post("/v1/images/generations", { model: "openai-chat/gpt-image-1", prompt: "a" }),
    "streamed images": () =>
      caller.post("/v1/images/generations", {
        model: "openai-chat/gpt-image-1",
        prompt: "a",
        stream: true,
      }),
    speech: () =>
      caller.post("/v1/audio/speech", { model: "openai-chat/say", input: "a", voice: "alloy" }),
    "streamed speech": () =>
      caller.post("/v1/audio/speech", {
        model: "openai-chat/say",
        input: "a",
        voice: "alloy",
        stream_format: "sse",
      }),
    transcriptions: () => sound("/v1/audio/transcriptions", {}),
    "streamed transcriptions": () => sound("/v1/audio/transcriptions", { stream: "true" }),
    translations: () => sound("/v1/audio/translations", {}),
  }
  for (const [operation, ask] of Object.entries(operations)) {
    test(`reveals no secret to a caller of ${operation}`, async () => {
      for (const way of WAYS.filter((one) => one !== "broken-later")) {
        next = { way, upstream: "openai-chat", end: 0 }
        expectClean(await told(ask()))
      }
    })
  }

  test("reveals no secret in receipts, alarms or the operator's test of the provider", async () => {
    next = { way: "rejected", upstream: "openai-chat", end: 0 }
    const rejected = await caller.post("/v1/chat/completions", {
      model: "openai-chat/m",
      messages: MESSAGES,
    })
    const id = rejected.headers.get("x-request-id") ?? ""
    expectClean(await told(caller.get(`/v1/receipts/${id}`)))
    expectClean(JSON.stringify(gateway.heard))
  })
})

function sound(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const form = new FormData()
  form.append("model", "openai-chat/hear")
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append("file", new File([wave(1)], "a.wav", { type: "audio/wav" }))
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}` },
    body: form,
  })
}
