import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { NO_USAGE, type Usage } from "../../../src/canon/usage.ts"
import { Meter } from "../../../src/relay/metering/meter.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  DONE,
  frame,
  type ScriptedVendor,
  startVendor,
  streamed,
  usageFrame,
} from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, receiptOf } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
/** The frames that the provider sends in the next call. */
let frames: readonly string[]

beforeAll(async () => {
  vendor = startVendor((_, number) => streamed([frames[number - 1 - sent] ?? frames.at(-1) ?? ""]))
  const root = vendor.url.replace("/v1", "")
  const deployments = [
    { provider: "chat", model: "one", weight: 1 },
    { provider: "chat", model: "two", weight: 1 },
  ]
  gateway = await startGateway({
    providers: {
      chat: provider(vendor.url),
      openai: provider(vendor.url, "openai"),
      anthropic: provider(root, "anthropic"),
      google: provider(root, "google"),
      cohere: provider(root, "cohere"),
    },
    models: {
      "chat/model": simulated({ deployments, strategy: "order" }),
      "openai/responses": simulated({ dialects: ["openai-responses"] }),
      "anthropic/model": simulated(),
      "google/model": simulated(),
      "cohere/model": simulated(),
    },
  })
})

let sent = 0

beforeEach(async () => {
  caller = await gateway.caller("10")
  sent = vendor.bodies.length
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`

const chunk = (usage: object): string =>
  data({ id: "c", object: "chat.completion.chunk", created: 1, model: "x", choices: [], usage })
const message = { id: "m", type: "message", role: "assistant", model: "x", content: [] }
const block = { index: 0, content_block: { type: "text", text: "" } }
const text = { index: 0, delta: { type: "text_delta", text: "Hello" } }
const candidate = (rest: object): object => ({
  candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, ...rest }],
})

/**
 * Streams in which one frame reports 500 input tokens, and another frame reports 47 output tokens and 0 input tokens.
 */
const STREAMS: Readonly<Record<string, string>> = {
  "chat/model":
    frame("Hello") +
    chunk({ prompt_tokens: 500, completion_tokens: 0, total_tokens: 500 }) +
    frame("", "stop") +
    chunk({ prompt_tokens: 0, completion_tokens: 47, total_tokens: 47 }) +
    DONE,
  "anthropic/model":
    event("message_start", {
      message: { ...message, usage: { input_tokens: 500, output_tokens: 0 } },
    }) +
    event("content_block_start", block) +
    event("content_block_delta", text) +
    event("content_block_stop", { index: 0 }) +
    event("message_delta", {
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: 0, output_tokens: 47 },
    }) +
    event("message_stop", {}),
  "google/model":
    data({ ...candidate({}), usageMetadata: { promptTokenCount: 500, totalTokenCount: 500 } }) +
    data({
      ...candidate({ finishReason: "STOP" }),
      usageMetadata: { candidatesTokenCount: 47 },
    }),
  "openai/responses":
    event("response.created", {
      response: { id: "r", object: "response", status: "in_progress", output: [], usage: null },
    }) +
    event("response.output_text.delta", {
      item_id: "i",
      output_index: 0,
      content_index: 0,
      delta: "Hello",
    }) +
    event("response.completed", {
      response: {
        id: "r",
        object: "response",
        status: "completed",
        output: [],
        usage: { input_tokens: 500, output_tokens: 47, total_tokens: 547 },
      },
    }),
}

describe("a count that a later frame omits or reports as zero", () => {
  for (const model of Object.keys(STREAMS)) {
    for (const path of [CHAT, "/v1/messages"]) {
      test(`keeps its earlier value in the charge and in the response: ${model} through ${path}`, async () => {
        frames = [STREAMS[model] ?? ""]
        const order = { model, messages: HELLO, max_tokens: 100, stream: true }
        const response = await caller.post(path, {
          ...order,
          stream_options: { include_usage: true },
        })
        const told = await response.text()
        const receipt = await receiptOf(caller, response)
        expect(receipt).toMatchObject({ estimated: false, usage: { input: 500, output: 47 } })
        expect(told).toContain("500")
      })
    }
  }

  test("becomes an estimate if no frame contains it", async () => {
    frames = [frame("Hello") + frame("", "stop") + chunk({ completion_tokens: 47 }) + DONE]
    const order = { model: "chat/model", messages: HELLO, max_tokens: 100, stream: true }
    const response = await caller.post(CHAT, order)
    await response.text()
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ estimated: true, usage: { input: 8, output: 47 } })
  })
})

describe("complete responses without their final usage", () => {
  const words = "word ".repeat(2_000)
  const broken: Record<string, string> = {
    "chat/model": usageFrame(500, 1) + frame(words) + frame("", "stop"),
    "anthropic/model":
      event("message_start", {
        message: { ...message, usage: { input_tokens: 500, output_tokens: 1 } },
      }) +
      event("content_block_start", block) +
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: words } }) +
      event("content_block_stop", { index: 0 }) +
      event("message_delta", { delta: { stop_reason: "end_turn" } }),
    "google/model":
      data({
        ...candidate({}),
        usageMetadata: { promptTokenCount: 500, candidatesTokenCount: 1 },
      }) +
      data(candidate({ content: { role: "model", parts: [{ text: words }] } })) +
      data(candidate({ finishReason: "STOP" })),
  }

  for (const [model, stream] of Object.entries(broken)) {
    for (const path of [CHAT, "/v1/messages"]) {
      test(`cost as much as their text: ${model} through ${path}`, async () => {
        frames = [stream]
        const order = { model, messages: HELLO, max_tokens: 8_000, stream: true }
        const response = await caller.post(path, order)
        await response.text()
        const receipt = await receiptOf(caller, response)
        expect(receipt).toMatchObject({ estimated: true, usage: { input: 500 } })
        expect(receipt.usage?.["output"]).toBeGreaterThan(1_500)
      })
    }
  }
})

describe("a last usage report without output", () => {
  const words = "word ".repeat(1_000)
  const google = (usage: object, rest: object = {}): string =>
    data({ ...candidate({ content: { parts: [{ text: words }] }, ...rest }), usageMetadata: usage })
  const begin = (usage: object): string =>
    event("message_start", { message: { ...message, usage } }) +
    event("content_block_start", block) +
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: words } }) +
    event("content_block_stop", { index: 0 })
  const end = (usage: object): string =>
    event("message_delta", { delta: { stop_reason: "end_turn" }, usage }) +
    event("message_stop", {})

  const cases: [model: string, stream: string][] = []
  for (const output of [undefined, null, 0, -4]) {
    const later = { prompt_tokens: 500, completion_tokens: output }
    const early = usageFrame(500, 8) + frame(words)
    cases.push(["chat/model", early + frame("", "stop") + chunk(later) + DONE])
    const middle = frame(words) + usageFrame(500, 100) + frame(words)
    cases.push(["chat/model", middle + frame("", "stop") + chunk(later) + DONE])
    const counted = { promptTokenCount: 500, candidatesTokenCount: 8 }
    const uncounted = { promptTokenCount: 500, candidatesTokenCount: output }
    cases.push(["google/model", google(counted) + google(uncounted, { finishReason: "STOP" })])
    const started = begin({ input_tokens: 500, output_tokens: 8 })
    cases.push(["anthropic/model", started + end({ input_tokens: 500, output_tokens: output })])
  }
  for (const candidatesTokenCount of [undefined, null, 0]) {
    const thoughts = { promptTokenCount: 500, thoughtsTokenCount: 1_200, candidatesTokenCount }
    cases.push(["google/model", google(thoughts, { finishReason: "STOP" })])
  }

  test.each(cases)(
    "does not make text that follows the report free of charge: %s %#",
    async (...each) => {
      const [model, stream] = each
      frames = [stream]
      const order = { model, messages: HELLO, max_tokens: 8_000, stream: true }
      const response = await caller.post(CHAT, order)
      await response.text()
      const receipt = await receiptOf(caller, response)
      expect(receipt).toMatchObject({ estimated: true, usage: { input: 500 } })
      expect(receipt.usage?.["output"]).toBeGreaterThan(stream.includes("1200") ? 2_100 : 900)
    },
  )
})

describe("an interrupted stream whose first usage report has no input", () => {
  const words = "word ".repeat(600)
  const cut: Record<string, string> = {
    "chat/model": usageFrame(0, 1) + frame(words),
    "chat/model without input": chunk({ completion_tokens: 1 }) + frame(words),
    "chat/model in each frame":
      chunk({ prompt_tokens: 0, completion_tokens: 600 }) +
      frame(words) +
      chunk({ prompt_tokens: 0, completion_tokens: 601 }),
    "anthropic/model":
      event("message_start", {
        message: { ...message, usage: { input_tokens: 0, output_tokens: 1 } },
      }) +
      event("content_block_start", block) +
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: words } }),
    "google/model": data({
      ...candidate({ content: { role: "model", parts: [{ text: words }] } }),
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 600 },
    }),
  }

  test.each(Object.entries(cut))(
    "has its input included in the charge: %s",
    async (name, stream) => {
      frames = [stream]
      const model = name.split(" ")[0]
      const order = { model, messages: HELLO, max_tokens: 8_000, stream: true }
      const response = await caller.post(CHAT, order)
      await response.text().catch(() => "")
      const receipt = await receiptOf(caller, response)
      expect(receipt.estimated).toBe(true)
      expect(receipt.usage?.["input"]).toBeGreaterThan(0)
      expect(receipt.usage?.["output"]).toBeGreaterThan(500)
    },
  )
})

test("usage that follows the end of a message is ignored", async () => {
  const late = { usage: { input_tokens: 1, output_tokens: 1 }, delta: {} }
  frames = [(STREAMS["anthropic/model"] ?? "") + event("message_delta", late)]
  const order = { model: "anthropic/model", messages: HELLO, max_tokens: 100, stream: true }
  const response = await caller.post(CHAT, order)
  await response.text()
  expect(await receiptOf(caller, response)).toMatchObject({ usage: { input: 500, output: 47 } })
})

test("usage whose reasoning exceeds its output, as Groq reports it, is accepted", async () => {
  const details = { completion_tokens_details: { reasoning_tokens: 139 } }
  const counts = { prompt_tokens: 500, completion_tokens: 123, total_tokens: 623, ...details }
  const words = "word ".repeat(1_000)
  frames = [frame(words) + frame("", "stop") + chunk(counts) + DONE]
  const order = { model: "chat/model", messages: HELLO, max_tokens: 8_000, stream: true }
  const response = await caller.post(CHAT, order)
  await response.text()
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ estimated: false, usage: { input: 500, output: 123 } })
})

test("usage is estimated if the vendor reports only a total", async () => {
  frames = [frame("Hello") + frame("", "stop") + chunk({ total_tokens: 1_950 }) + DONE]
  const order = { model: "chat/model", messages: HELLO, max_tokens: 100, stream: true }
  const response = await caller.post(CHAT, order)
  await response.text()
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ estimated: true, usage: { input: 8, output: 1 } })
})

test.each([[undefined], [null], [0]])(
  "a prompt count of %p is replaced by the total minus the output",
  async (prompt) => {
    const counts = { prompt_tokens: prompt, completion_tokens: 50, total_tokens: 150 }
    frames = [frame("Hello") + frame("", "stop") + chunk(counts) + DONE]
    const order = { model: "chat/model", messages: HELLO, max_tokens: 100, stream: true }
    const response = await caller.post(CHAT, order)
    await response.text()
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ estimated: false, usage: { input: 100, output: 50 } })
  },
)

describe("a later report of usage", () => {
  const usageOf = (...reports: Partial<Usage>[]): Usage | undefined => {
    const meter = new Meter()
    const events = reports.map((report): ChatEvent => ({
      type: "usage",
      usage: { ...NO_USAGE, ...report },
    }))
    meter.push(events)
    return meter.usage
  }

  test("does not remove a usage class that it omits", () => {
    const usage = usageOf({ inputFresh: 5, searches: 2, images: 1 }, { inputFresh: 5, output: 7 })
    expect(usage).toMatchObject({ inputFresh: 5, output: 7, searches: 2, images: 1 })
  })

  test("may divide the input into other classes", () => {
    const usage = usageOf({ inputFresh: 500 }, { inputCacheRead: 400, inputFresh: 0, output: 7 })
    expect(usage).toMatchObject({ inputFresh: 0, inputCacheRead: 400 })
  })

  test("keeps the earlier output and reasoning counts if it lacks them", () => {
    const usage = usageOf({ output: 30, reasoning: 20 }, { inputFresh: 4 })
    expect(usage).toMatchObject({ inputFresh: 4, output: 30, reasoning: 20 })
  })
})

describe("a MiniMax error as the first event of a stream", () => {
  const failed = data({
    id: "x",
    choices: null,
    base_resp: { status_code: 1002, status_msg: "rate limit exceeded" },
  })

  test("counts as a failed attempt, and the next deployment answers", async () => {
    frames = [failed, frame("Hello") + frame("", "stop") + usageFrame(10, 1) + DONE]
    const order = { model: "chat/model", messages: HELLO, stream: true }
    const response = await caller.post(CHAT, order)
    expect(await response.text()).toContain("Hello")
    const { attempts } = await receiptOf(caller, response)
    expect(attempts.map(({ outcome }) => outcome === "ok")).toEqual([false, true])
  })

  test("reaches the caller if there is no other deployment", async () => {
    frames = [failed]
    const order = { model: "chat/model", messages: HELLO, stream: true }
    const response = await caller.post(CHAT, order)
    const receipt = await receiptOf(caller, response)
    expect((await errorOf(response)).status).toBeGreaterThanOrEqual(400)
    expect(receipt.status).toBe("released")
  })
})

test("the delivered part of one stream is charged even if another stream has finished", async () => {
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const usage = { input_tokens: 10, output_tokens: 1 }
  const text = { type: "text", text: "" }
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage,
  }
  const begun =
    event("message_start", { message }) +
    event("content_block_start", { index: 0, content_block: text })
  const say = (words: string) =>
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: words } })
  const ended =
    event("content_block_stop", { index: 0 }) +
    event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }) +
    event("message_stop", {})
  frames = [begun + say("Heads") + ended, begun + say("word ".repeat(2_000))]
  const order = { model: "anthropic/model", messages: HELLO, stream: true, n: 2 }
  const response = await caller.post(CHAT, order)
  await response.text()
  const { usage: charged } = await receiptOf(caller, response)
  expect(charged?.["output"]).toBeGreaterThan(1_500)
})
