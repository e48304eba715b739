import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, receiptOf } from "../support.ts"

/** The responses in these tests exceed the size limit, although their provider bills them. */

const MEGABYTE = 1024 * 1024
const LARGE = "x".repeat(1.5 * MEGABYTE)

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** The provider's response. */
let answer: object
let respond = (): Response => Response.json(answer)

beforeAll(async () => {
  vendor = startVendor(() => respond())
  const root = vendor.url.replace("/v1", "")
  const deployments = (model: string) => [
    { provider: "openai", model, weight: 1 },
    { provider: "openai", model: `${model}-2`, weight: 1 },
  ]
  gateway = await startGateway({
    settings: { limits: equalLimits(MEGABYTE) },
    providers: {
      openai: provider(vendor.url, "openai"),
      anthropic: provider(root, "anthropic"),
      google: provider(root, "google"),
      cohere: provider(root, "cohere"),
    },
    models: {
      "openai/chat": simulated({ deployments: deployments("chat"), dialects: ["openai-chat"] }),
      "openai/responses": simulated({ dialects: ["openai-responses"] }),
      "anthropic/chat": simulated(),
      "google/chat": simulated(),
      "google/image": { kind: "image", price: { input: "1", output: "2", image_output: "30" } },
      "cohere/chat": simulated(),
      "openai/vectors": {
        kind: "embedding",
        price: { input: "1" },
        deployments: deployments("vectors"),
      },
      "openai/dall-e-2": { kind: "image", price: { image: "20000" } },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Sends a request, asserts that it fails, and returns the receipt. */
async function rejected(path: string, body: object) {
  const before = vendor.bodies.length
  const response = await caller.post(path, body)
  const receipt = await receiptOf(caller, response)
  expect((await errorOf(response)).message).toContain("limits.response_mb")
  // Another deployment is not tried, because its response would not be smaller.
  expect(vendor.bodies.length).toBe(before + 1)
  return receipt
}

/** Sends a request, expects an error after a single call, and returns the receipt. */
async function failed(path: string, body: object) {
  const before = vendor.bodies.length
  const response = await caller.post(path, body)
  const receipt = await receiptOf(caller, response)
  expect(response.ok).toBe(false)
  // Official clients would otherwise repeat the request, which would be charged again.
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect((await errorOf(response)).message).toContain("was charged")
  expect(vendor.bodies.length).toBe(before + 1)
  return receipt
}

const MESSAGE = { role: "assistant", content: LARGE }
const COUNTED: Readonly<Record<string, object>> = {
  "openai/chat": {
    choices: [{ index: 0, message: MESSAGE, finish_reason: "stop" }],
    usage: { prompt_tokens: 30, completion_tokens: 400, total_tokens: 430 },
  },
  "openai/responses": {
    object: "response",
    status: "completed",
    output: [{ type: "message", content: [{ type: "output_text", text: LARGE }] }],
    usage: { input_tokens: 30, output_tokens: 400, total_tokens: 430 },
  },
  "anthropic/chat": {
    type: "message",
    content: [{ type: "text", text: LARGE }],
    stop_reason: "end_turn",
    usage: { input_tokens: 30, output_tokens: 400 },
  },
  "google/chat": {
    candidates: [{ content: { role: "model", parts: [{ text: LARGE }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 },
  },
  "cohere/chat": {
    message: { role: "assistant", content: [{ type: "text", text: LARGE }] },
    finish_reason: "COMPLETE",
    usage: { billed_units: { input_tokens: 30, output_tokens: 400 } },
  },
}

describe("a response that is too large to read", () => {
  test.each(Object.keys(COUNTED))(
    "results in a charge for the usage at its end: %s",
    async (model) => {
      answer = COUNTED[model] ?? {}
      const receipt = await rejected(CHAT, { model, messages: HELLO, max_tokens: 1_000 })
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
      expect(receipt.cost).toBe("0.00083")
    },
  )

  test("results in a charge for at most the requested output if it has no usage", async () => {
    answer = { choices: [{ index: 0, message: MESSAGE, finish_reason: "stop" }] }
    const order = { model: "openai/chat", messages: HELLO, max_tokens: 500 }
    const receipt = await rejected(CHAT, order)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.usage).toEqual({ input: 8, output: 500 })
  })

  test("costs its usage, and the caller receives only the other choices", async () => {
    const { content: _, ...rest } = COUNTED["anthropic/chat"] as Record<string, unknown>
    const small = { ...rest, content: [{ type: "text", text: "Hello" }] }
    let made = 0
    respond = () => Response.json(++made === 2 ? COUNTED["anthropic/chat"] : small)
    const order = { model: "anthropic/chat", messages: HELLO, max_tokens: 1_000, n: 3 }
    const response = await caller.post(CHAT, order)
    respond = () => Response.json(answer)
    expect(made).toBe(3)
    const body = (await response.json()) as { choices: unknown; usage: unknown }
    expect(body.choices).toMatchObject([
      { index: 0, message: { content: "Hello" } },
      { index: 1, message: { content: "Hello" } },
    ])
    expect(body.usage).toMatchObject({ prompt_tokens: 90, completion_tokens: 1_200 })
    expect(response.headers.get("x-tollgate-losses")).toContain("n:approximated")
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ estimated: false, usage: { input: 90, output: 1_200 } })
  })

  test("results in a charge for the input of embeddings", async () => {
    answer = { data: [{ index: 0, embedding: LARGE }] }
    const receipt = await rejected("/v1/embeddings", {
      model: "openai/vectors",
      input: "Hello there",
    })
    expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { input: 2 } })
  })

  test("results in a charge at the price of the images", async () => {
    answer = { created: 1, data: [{ b64_json: LARGE }, { b64_json: LARGE }] }
    const receipt = await rejected("/v1/images/generations", {
      model: "openai/dall-e-2",
      prompt: "Cats",
      n: 2,
      response_format: "b64_json",
    })
    expect(receipt).toMatchObject({ status: "settled", usage: { image: 2 }, cost: "0.04" })
  })
})

const DEEP = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
const CALLS = Array.from({ length: 1_001 }, (_, index) => ({ id: `call_${index}`, name: "f" }))

/** Complete responses with 30 tokens of input and 400 of output. Values with `raw` are inserted as JSON. */
const UNUSABLE: Readonly<Record<string, readonly [model: string, answer: object]>> = {
  "1,001 tool calls": [
    "openai/chat",
    {
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: null,
            tool_calls: CALLS.map(({ id, name }) => ({
              id,
              type: "function",
              function: { name, arguments: "{}" },
            })),
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 30, completion_tokens: 400, total_tokens: 430 },
    },
  ],
  "1,001 tool calls of Claude": [
    "anthropic/chat",
    {
      type: "message",
      content: CALLS.map((call) => ({ type: "tool_use", ...call, input: {} })),
      stop_reason: "tool_use",
      usage: { input_tokens: 30, output_tokens: 400 },
    },
  ],
  "deep arguments of Claude": [
    "anthropic/chat",
    {
      type: "message",
      content: [{ type: "tool_use", id: "c", name: "f", input: "raw" }],
      stop_reason: "tool_use",
      usage: { input_tokens: 30, output_tokens: 400 },
    },
  ],
  "deep arguments of Gemini": [
    "google/chat",
    {
      candidates: [
        {
          content: { role: "model", parts: [{ functionCall: { name: "f", args: "raw" } }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 },
    },
  ],
}

/** Streams with a text, 1,001 tool calls, and then 30 tokens of input and 400 of output. */
const MANY_CALLS: Readonly<Record<string, readonly object[]>> = {
  "openai/chat": [
    { choices: [{ index: 0, delta: { role: "assistant", content: "Hello" } }] },
    ...CALLS.map(({ id, name }, index) => ({
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [{ index, id, type: "function", function: { name, arguments: "{}" } }],
          },
        },
      ],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 30, completion_tokens: 400, total_tokens: 430 } },
  ],
  "anthropic/chat": [
    {
      type: "message_start",
      message: { role: "assistant", content: [], usage: { input_tokens: 30, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
    { type: "content_block_stop", index: 0 },
    ...CALLS.flatMap((call, index) => [
      {
        type: "content_block_start",
        index: index + 1,
        content_block: { type: "tool_use", ...call, input: {} },
      },
      { type: "content_block_stop", index: index + 1 },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 400 } },
    { type: "message_stop" },
  ],
  "google/chat": [
    { candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hello" }] } }] },
    ...CALLS.map(({ name }) => ({
      candidates: [
        { index: 0, content: { role: "model", parts: [{ functionCall: { name, args: {} } }] } },
      ],
    })),
    {
      candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 },
    },
  ],
}

/** Returns a stream whose last frame arrives after the others have been read. */
function slowStream(frames: readonly object[]): Response {
  const written = frames.map((frame) => {
    const event = "type" in frame ? `event: ${String(frame.type)}\n` : ""
    return `${event}data: ${JSON.stringify(frame)}\n\n`
  })
  const pieces = [written.slice(0, -1).join(""), written.slice(-1).join("")]
  const body = new ReadableStream<string>({
    async pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) return controller.close()
      controller.enqueue(piece)
      await (await fetch(gateway.url)).text()
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

describe("a complete response that cannot be passed on", () => {
  const texts = Object.entries(UNUSABLE).flatMap(([name, [model, body]]) => {
    const text = JSON.stringify(body).replace('"raw"', DEEP)
    // Longer responses are scanned while they arrive.
    const padded = text.replace("{", `{"padding":"${"x".repeat(100_000)}",`)
    return [
      { name, model, text },
      { name: `${name} in a long answer`, model, text: padded },
    ]
  })

  test.each(texts)(
    "results in a charge for its usage without another call: $name",
    async ({ model, text }) => {
      respond = () => new Response(text, { headers: { "content-type": "application/json" } })
      const receipt = await failed(CHAT, { model, messages: HELLO, max_tokens: 1_000 })
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
    },
  )

  test.each(texts)(
    "results in a charge for its usage if a stream was requested: $name",
    async ({ model, text }) => {
      respond = () => new Response(text, { headers: { "content-type": "application/json" } })
      const order = { model, messages: HELLO, max_tokens: 1_000, stream: true }
      const receipt = await failed(CHAT, order)
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
    },
  )

  test.each(Object.keys(MANY_CALLS))(
    "results in a charge for the usage at the end of its stream: %s",
    async (model) => {
      respond = () => slowStream(MANY_CALLS[model] ?? [])
      const order = { model, messages: HELLO, max_tokens: 1_000, stream: true }
      const before = vendor.bodies.length
      const response = await caller.post(CHAT, order)
      const receipt = await receiptOf(caller, response)
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
      expect(await response.text()).toContain("was charged")
      expect(vendor.bodies.length).toBe(before + 1)
    },
  )

  const deep = texts.filter(({ name }) => name.startsWith("deep"))
  test.each(deep)(
    "fails without a charge if its end is missing: $name",
    async ({ model, text }) => {
      const cut = text.slice(0, -1)
      respond = () => new Response(cut, { headers: { "content-type": "application/json" } })
      const response = await caller.post(CHAT, { model, messages: HELLO, max_tokens: 1_000 })
      expect((await errorOf(response)).status).toBe(502)
      expect(response.headers.get("x-should-retry")).toBe("true")
      expect((await receiptOf(caller, response)).cost).toBe("0")
    },
  )

  test("results in a charge for its usage if its only frame is nested too deeply", async () => {
    const [, body] = UNUSABLE["deep arguments of Gemini"] ?? []
    const frame = `data: ${JSON.stringify(body).replace('"raw"', DEEP)}\n\n`
    respond = () => new Response(frame, { headers: { "content-type": "text/event-stream" } })
    const order = { model: "google/chat", messages: HELLO, max_tokens: 1_000, stream: true }
    const receipt = await failed(CHAT, order)
    expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
  })

  const LONG_EVENT = `{"padding":"${"x".repeat(49 * MEGABYTE)}"}`
  const USAGE_EVENTS: readonly (readonly [model: string, end: string])[] = [
    [
      "openai/chat",
      'data: {"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":400}}\n\ndata: [DONE]\n\n',
    ],
    [
      "anthropic/chat",
      'event: message_delta\ndata: {"type":"message_delta","delta":{},"usage":{"input_tokens":30,"output_tokens":400}}\n\n',
    ],
    [
      "google/chat",
      'data: {"candidates":[],"usageMetadata":{"promptTokenCount":30,"candidatesTokenCount":400}}\n\n',
    ],
    [
      "cohere/chat",
      'event: message-end\ndata: {"type":"message-end","delta":{"usage":{"billed_units":{"input_tokens":30,"output_tokens":400}}}}\n\n',
    ],
  ]

  test.each(USAGE_EVENTS)(
    "results in a charge for its usage after an event of 49 MB: %s",
    async (model, end) => {
      respond = () =>
        new Response(`data: ${LONG_EVENT}\n\n${end}`, {
          headers: { "content-type": "text/event-stream" },
        })
      const order = { model, messages: HELLO, max_tokens: 1_000, stream: true }
      const receipt = await failed(CHAT, order)
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
    },
  )

  test.each(["", "😀".repeat(9_000)])(
    "results in a charge for the usage inside an event of 49 MB: %#",
    async (metadata) => {
      const end = JSON.stringify({
        usage: { input_tokens: 30, output_tokens: 400, total_tokens: 430 },
        metadata: { k: metadata },
      })
      const created = { type: "response.created", response: { id: "r", status: "in_progress" } }
      const padding = "x".repeat(49 * MEGABYTE)
      respond = () =>
        new Response(
          `event: response.created\ndata: ${JSON.stringify(created)}\n\nevent: response.completed\ndata: {"type":"response.completed","response":{"id":"r","padding":"${padding}",${end.slice(1)}}\n\n`,
          { headers: { "content-type": "text/event-stream" } },
        )
      const order = { model: "openai/responses", messages: HELLO, max_tokens: 1_000, stream: true }
      const receipt = await failed(CHAT, order)
      expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
    },
  )

  test("results in a charge for the requested output if no usage follows an event of 49 MB", async () => {
    respond = () =>
      new Response(`data: ${LONG_EVENT}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      })
    const order = { model: "google/chat", messages: HELLO, max_tokens: 500, stream: true }
    const receipt = await failed(CHAT, order)
    expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { output: 500 } })
  })

  test("results in a charge for its usage if it has text in place of the requested image", async () => {
    respond = () =>
      Response.json({
        candidates: [
          { content: { role: "model", parts: [{ text: "An essay." }] }, finishReason: "STOP" },
        ],
        usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 },
      })
    const order = { model: "google/image", prompt: "Do not draw. Write an essay." }
    const receipt = await failed("/v1/images/generations", order)
    expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
  })
})

describe("an embedding response in a form that the caller's fields request", () => {
  const order = { model: "openai/vectors", input: "Hello there" }

  test.each([
    { return_multivector: true },
    { embedding_type: ["float", "binary"] },
    { embedding_types: ["float", "int8"] },
  ])("causes an error before the call if it would have several vectors: %j", async (field) => {
    const before = vendor.bodies.length
    const response = await caller.post("/v1/embeddings", { ...order, ...field })
    expect(response.status).toBe(400)
    expect((await errorOf(response)).message).toContain(Object.keys(field).join())
    expect(vendor.bodies.length).toBe(before)
  })

  const nested = { data: [{ index: 0, embedding: [[1, 0]] }], usage: { prompt_tokens: 30 } }

  test("results in a charge for its usage if it cannot be read, and the call is not repeated", async () => {
    respond = () => Response.json(nested)
    const receipt = await failed("/v1/embeddings", { ...order, per_token: true })
    expect(receipt).toMatchObject({ status: "settled", estimated: false, usage: { input: 30 } })
  })

  test("results in a charge for the counted input if it has too few vectors and no usage", async () => {
    respond = () => Response.json({ data: [] })
    const receipt = await failed("/v1/embeddings", { ...order, only_if: "cached" })
    expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { input: 2 } })
  })

  test("costs nothing if the caller requested no other form", async () => {
    respond = () => Response.json(nested)
    const response = await caller.post("/v1/embeddings", order)
    expect(await receiptOf(caller, response)).toMatchObject({ status: "released", cost: "0" })
  })
})

test.each([CHAT, "/v1/responses"])(
  "the gateway ends a stream whose text exceeds the limit at %s",
  async (path) => {
    const delta = (content: string): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
    respond = () =>
      new Response(delta("x".repeat(100_000)).repeat(30), {
        headers: { "content-type": "text/event-stream" },
      })
    const before = vendor.bodies.length
    const order = { model: "openai/chat", stream: true }
    const body = path === CHAT ? { ...order, messages: HELLO } : { ...order, input: "Hi" }
    const response = await caller.post(path, body)
    const text = await response.text()
    expect(text).toContain("limits.response_mb")
    expect(text.length).toBeLessThan(2.5 * MEGABYTE)
    expect(vendor.bodies.length).toBe(before + 1)
    expect(await receiptOf(caller, response)).toMatchObject({ status: "settled", estimated: true })
  },
)
