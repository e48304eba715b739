import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { DONE, frame, type ScriptedVendor, startVendor, usageFrame } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, type Receipt, receiptOf } from "../support.ts"

/** Responses that cannot be read, and whose usage is not at their end. */

const MEGABYTE = 1024 * 1024
const USAGE = { input_tokens: 30, output_tokens: 400, total_tokens: 430 }
const CHAT_USAGE = { prompt_tokens: 30, completion_tokens: 400, total_tokens: 430 }

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let respond = (): Response => Response.json({})

beforeAll(async () => {
  vendor = startVendor(() => respond())
  const price = { input: "1", output: "2", search: "1000" }
  gateway = await startGateway({
    settings: { limits: equalLimits(32 * MEGABYTE) },
    providers: {
      openai: provider(vendor.url, "openai"),
      google: provider(vendor.url.replace("/v1", ""), "google"),
    },
    models: {
      "openai/chat": simulated({ price, dialects: ["openai-chat"] }),
      "openai/responses": simulated({ price, dialects: ["openai-responses"] }),
      "google/chat": simulated({ price }),
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const json = (text: string) => () =>
  new Response(text, { headers: { "content-type": "application/json" } })

/** A body that is sent in two parts. The result must not depend on whether they are received separately. */
function divided(bytes: Uint8Array, cut: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, cut))
      await Bun.sleep(20)
      controller.enqueue(bytes.subarray(cut))
      controller.close()
    },
  })
}

async function failed(model: string, more: object = {}) {
  const before = vendor.bodies.length
  const response = await caller.post(CHAT, { model, messages: HELLO, max_tokens: 1_000, ...more })
  const receipt = await receiptOf(caller, response)
  expect((await errorOf(response)).message).toContain("was charged")
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect(vendor.bodies.length).toBe(before + 1)
  return receipt
}

const USED = { status: "settled", estimated: false, usage: { input: 30, output: 400 } }
const ZEROS = `[${"0,".repeat(10_000_001)}0]`

describe("a response that cannot be read", () => {
  test("results in a charge for usage that precedes long metadata of the caller", async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 16 }, (_, index) => [`k${index}`, "😀".repeat(512)]),
    )
    const end = JSON.stringify({ usage: USAGE, user: null, metadata })
    respond = json(`{"object":"response","status":"completed","output":${ZEROS},${end.slice(1)}`)
    expect(await failed("openai/responses")).toMatchObject(USED)
  })

  test("results in a charge for usage that precedes the log probabilities of a prompt", async () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `"${index}":0`).join()
    const start = JSON.stringify({ choices: [], usage: CHAT_USAGE })
    respond = json(`${start.slice(0, -1)},"prompt_logprobs":[null,{${names}}]}`)
    expect(await failed("openai/chat")).toMatchObject(USED)
  })

  test("results in a charge for usage that precedes the content", async () => {
    const deep = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
    const parts = `[{"functionCall":{"name":"f","args":${deep}}}]`
    const usage = { promptTokenCount: 30, candidatesTokenCount: 400, totalTokenCount: 430 }
    respond = json(
      `{"usageMetadata":${JSON.stringify(usage)},"candidates":[{"content":{"parts":${parts}}}]}`,
    )
    expect(await failed("google/chat")).toMatchObject(USED)
  })

  test.each([
    ["openai/chat", { usage: { prompt_tokens: 30, completion_tokens: 0, total_tokens: 30 } }],
    ["openai/chat", { usage: { prompt_tokens: 30 } }],
    ["google/chat", { usageMetadata: { promptTokenCount: 30 } }],
    ["google/chat", { usageMetadata: { promptTokenCount: 30, thoughtsTokenCount: 300 } }],
  ])(
    "results in a charge for the requested output if no output is reported: %s %o",
    async (model, usage) => {
      respond = json(`{"choices":${ZEROS},${JSON.stringify(usage).slice(1)}`)
      const receipt = await failed(model)
      expect(receipt).toMatchObject({ estimated: true, usage: { input: 30, output: 1_000 } })
      expect(receipt.cost).toBe("0.00203")
    },
  )

  test("results in a charge for the searches of a whole response", async () => {
    const item = (type: string, index: number) => ({ type, id: `i_${index}`, status: "completed" })
    const searches = Array.from({ length: 3 }, (_, index) => ({
      ...item("web_search_call", index),
      action: { type: "search", query: "a" },
    }))
    const calls = Array.from({ length: 10_001 }, (_, index) => ({
      ...item("function_call", index),
      call_id: `c_${index}`,
      name: "f",
      arguments: "{}",
    }))
    const response = { object: "response", status: "completed", output: [...searches, ...calls] }
    respond = () => Response.json({ ...response, usage: USAGE })
    const more = { web_search_options: {} }
    const receipt = await failed("openai/responses", more)
    expect(receipt.usage).toEqual({ input: 30, output: 400, search: 3 })
  })

  test.each([
    ["the assumed number", {}, true, 10],
    ["the reported number", { tool_usage: { web_search: { num_requests: 4 } } }, false, 4],
  ])("costs %s of searches if its JSON cannot be parsed", async (_, more, estimated, search) => {
    const end = JSON.stringify({ usage: USAGE, ...more }).slice(1)
    respond = json(`{"object":"response","status":"completed","output":${ZEROS},${end}`)
    const receipt = await failed("openai/responses", { web_search_options: {} })
    expect(receipt).toMatchObject({ estimated, usage: { input: 30, output: 400, search } })
  })

  const logprobs = Array.from({ length: 300_000 }, () => 0)
  const item = { type: "message", id: "m", role: "assistant", status: "completed" }
  const place = { item_id: "m", output_index: 0, content_index: 0 }

  /** Returns a stream whose last events repeat the log probabilities of its text. */
  function repeating(text: string, usage: object | null): Response {
    const part = { type: "output_text", text, annotations: [], logprobs }
    const output = [{ ...item, content: [part] }]
    const started = { ...item, status: "in_progress", content: [] }
    const frames = [
      { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: started },
      { type: "response.output_text.delta", ...place, delta: text },
      { type: "response.output_text.done", ...place, text, logprobs },
      { type: "response.completed", response: { status: "completed", output, usage } },
    ]
    const events = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`)
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } })
  }

  async function streamed(): Promise<Receipt> {
    const order = { model: "openai/responses", max_output_tokens: 1_000, stream: true }
    const response = await caller.post("/v1/responses", { ...order, input: "Hi" })
    expect(await response.text()).toContain("was charged")
    return receiptOf(caller, response)
  }

  test("results in a charge for usage that follows an early event with many log probabilities", async () => {
    const frames = [
      { choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
      { choices: [{ index: 0, delta: { content: "Hello" }, logprobs: { content: logprobs } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: CHAT_USAGE },
    ]
    const pieces = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    respond = () =>
      new Response(pieces.join(""), { headers: { "content-type": "text/event-stream" } })
    expect(await failed("openai/chat", { stream: true })).toMatchObject(USED)
  })

  test.each([
    ["the searches in its last event", false, false, 2],
    ["the assumed searches if its last event cannot be read", true, true, 10],
  ])("costs %s if an event cannot be read", async (_, isLastDeep, estimated, search) => {
    const deep = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
    const call = { type: "web_search_call", status: "completed", action: { type: "search" } }
    const tools = { type: "mcp_list_tools", id: "x", server_label: "s", tools: "raw" }
    const output = isLastDeep ? [call, call, tools] : [call, call]
    const frames = [
      { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
      { type: "response.output_item.done", output_index: 0, item: tools },
      { type: "response.completed", response: { status: "completed", output, usage: USAGE } },
    ]
    const events = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`)
    const text = events.join("").replaceAll('"raw"', deep)
    respond = () => new Response(text, { headers: { "content-type": "text/event-stream" } })
    const receipt = await failed("openai/responses", { stream: true, web_search_options: {} })
    expect(receipt).toMatchObject({ estimated, usage: { input: 30, output: 400, search } })
  })

  test("costs the same if an event cannot be read, wherever the response is divided", async () => {
    const deep = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
    const call = { type: "web_search_call", status: "completed", action: { type: "search" } }
    const tools = { type: "mcp_list_tools", id: "x", server_label: "s", tools: "raw" }
    const output = [call, call]
    const frames = [
      { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
      { type: "response.output_item.done", output_index: 0, item: tools },
      { type: "response.completed", response: { status: "completed", output, usage: USAGE } },
    ]
    const events = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`)
    const text = events.join("").replaceAll('"raw"', deep)
    const bytes = Buffer.from(text)
    const [first = "", , last = ""] = events
    const ends = [first.length, bytes.length - last.length, bytes.length]
    const cuts = ends.flatMap((end) => [end - 2, end - 1, end, end + 1, end + 300])
    for (const cut of cuts.filter((position) => position < bytes.length)) {
      respond = () =>
        new Response(divided(bytes, cut), { headers: { "content-type": "text/event-stream" } })
      const receipt = await failed("openai/responses", { stream: true, web_search_options: {} })
      expect({ cut, ...receipt }).toMatchObject({ cut, estimated: false, usage: { search: 2 } })
    }
  })

  test("costs the usage that follows an event that is not JSON, wherever the response is divided", async () => {
    const events = [frame("Hello there"), 'data: {"choices":\n\n', usageFrame(900, 700), DONE]
    const bytes = Buffer.from(events.join(""))
    const ends = events.map((_, index) => events.slice(0, index + 1).join("").length)
    for (const cut of ends.flatMap((end) => [end - 1, end, end + 1])) {
      respond = () =>
        new Response(divided(bytes, cut), { headers: { "content-type": "text/event-stream" } })
      const body = { model: "openai/chat", messages: HELLO, stream: true }
      const response = await caller.post(CHAT, body)
      expect(await response.text()).toContain("Hello there")
      const receipt = await receiptOf(caller, response)
      expect({ cut, ...receipt }).toMatchObject({ cut, usage: { input: 900, output: 700 } })
    }
  })

  test("results in a charge for the usage of a stream whose items and last event are nested too deeply", async () => {
    const deep = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`
    const tools = { type: "mcp_list_tools", id: "x", server_label: "s", tools: "raw" }
    const frames = [
      { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
      { type: "response.output_item.done", output_index: 0, item: tools },
      {
        type: "response.completed",
        response: { status: "completed", output: [tools], usage: USAGE },
      },
    ]
    const events = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`)
    const text = events.join("").replaceAll('"raw"', deep)
    respond = () => new Response(text, { headers: { "content-type": "text/event-stream" } })
    expect(await failed("openai/responses", { stream: true })).toMatchObject(USED)
  })

  test.each(["Hello", "word ".repeat(1_000)])(
    "results in a charge for the usage in the last event of a stream, which repeats the log probabilities: %#",
    async (text) => {
      respond = () => repeating(text, USAGE)
      expect(await streamed()).toMatchObject(USED)
    },
  )

  test("results in a charge for no more than the requested output if a stream has no usage", async () => {
    respond = () => repeating("word ".repeat(500), null)
    const { usage, estimated } = await streamed()
    expect(estimated).toBe(true)
    expect(usage?.["output"]).toBeLessThan(1_001)
    expect(usage?.["output"]).toBeGreaterThan(800)
  })
})
