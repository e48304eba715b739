import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { ABANDONED_CALLS } from "../../../src/vendors/abandoned-calls.ts"
import { vendors } from "../../../src/vendors/index.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { MovableClock } from "../movable-clock.ts"
import { DONE, frame, type ScriptedVendor, startVendor, usageFrame } from "../scripted-vendor.ts"
import { CHAT, creditsOf, HELLO, onlyReceipt, readUntil } from "../support.ts"

const LIMIT = 5_000
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

let vendor: ScriptedVendor
let clock: MovableClock
let gateway: TestGateway
/** Resolving it lets the provider answer or continue. */
let goOn: PromiseWithResolvers<void>
/** Resolves when the provider's connection is closed before its response. */
let wasClosed: PromiseWithResolvers<void>
/** The HTTP status of responses that are not streamed. */
let status: number

/** Returns a response with its usage for a request to any endpoint. */
function wholeResponseTo(body: Record<string, unknown>): object {
  if (status !== 200) return { error: { message: "Broken.", type: "server_error" } }
  if (body.documents !== undefined) {
    return {
      results: [{ index: 0, relevance_score: 0.5 }],
      meta: { billed_units: { search_units: 1 } },
    }
  }
  if (body.input !== undefined) {
    const data = [{ object: "embedding", index: 0, embedding: [0.5] }]
    return { object: "list", model: "x", data, usage: { prompt_tokens: 4, total_tokens: 4 } }
  }
  if (body.prompt !== undefined) return { created: 1, data: [{ b64_json: PNG }] }
  const choices = [
    { index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" },
  ]
  const usage = { prompt_tokens: 900, completion_tokens: 700, total_tokens: 1600 }
  return { id: "c", object: "chat.completion", created: 1, model: "x", choices, usage }
}

function streamedResponse(model: unknown): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      if (model !== "silent") controller.enqueue(encoder.encode(frame("Hello there")))
      await goOn.promise
      const rest = frame(" and more").repeat(50) + frame("", "stop") + usageFrame(900, 700) + DONE
      controller.enqueue(encoder.encode(rest))
      controller.close()
    },
    cancel: () => wasClosed.resolve(),
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

/** Returns a stream without an end, for any request. */
function endlessResponse(): Response {
  const encoder = new TextEncoder()
  let isBegun = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isBegun) await goOn.promise
      isBegun = true
      controller.enqueue(encoder.encode(frame("Hello there ".repeat(20))))
    },
    cancel: () => wasClosed.resolve(),
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

beforeAll(async () => {
  vendor = startVendor(async (request, number) => {
    const body = vendor.bodies[number - 1] ?? {}
    if (body.model === "endless") return endlessResponse()
    if (body.stream === true) return streamedResponse(body.model)
    request.signal.addEventListener("abort", () => wasClosed.resolve())
    await goOn.promise
    return Response.json(wholeResponseTo(body), { status })
  })
  clock = new MovableClock()
  const kind = (of: "embedding" | "rerank" | "image", price: Record<string, string>) => ({
    kind: of,
    price,
  })
  gateway = await startGateway({
    monitor: clock.monitor,
    settings: { disconnectLimit: LIMIT },
    providers: {
      openai: provider(vendor.url, "openai"),
      cohere: provider(vendor.url, "cohere"),
      groq: provider(vendor.url, "groq"),
      vllm: provider(vendor.url, "vllm"),
      unknown: provider(vendor.url),
    },
    models: {
      "openai/plain": simulated(),
      "openai/cancelled": simulated({ disconnect: "cancel" }),
      "groq/plain": simulated(),
      "groq/endless": simulated(),
      "vllm/plain": simulated(),
      "vllm/silent": simulated(),
      "vllm/drained": simulated({ disconnect: "drain" }),
      "unknown/plain": simulated(),
      "openai/vectors": kind("embedding", { input: "1" }),
      "vllm/vectors": kind("embedding", { input: "1" }),
      "cohere/ranks": kind("rerank", { search: "1000" }),
      "vllm/ranks": kind("rerank", { input: "1" }),
      "openai/dall-e-2": kind("image", { image: "20000" }),
    },
  })
  // On a busy machine, loading the tokenizer takes longer than these tests wait for its counts.
  const caller = await gateway.caller("1")
  await caller.post("/v1/messages/count_tokens", { model: "vllm/plain", messages: HELLO })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  clock[Symbol.dispose]()
  vendor[Symbol.dispose]()
})

beforeEach(() => {
  goOn = Promise.withResolvers()
  wasClosed = Promise.withResolvers()
  status = 200
})

interface Asked {
  readonly caller: TestCaller
  readonly response: Promise<Response>
  leave(): void
}

/** Sends a request, and resolves when the provider has received it. */
async function ask(path: string, body: object): Promise<Asked> {
  const caller = await gateway.caller("10")
  const controller = new AbortController()
  const before = vendor.bodies.length
  const response = fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: controller.signal,
  })
  response.catch(() => {})
  await until(() => vendor.bodies.length > before)
  return { caller, response, leave: () => controller.abort() }
}

const chat = (model: string, stream = false): [string, object] => [
  CHAT,
  { model, messages: HELLO, max_tokens: 1_000, stream },
]

/**
 * Sends a request, disconnects while the provider sends nothing, and waits until the gateway has noticed the
 * disconnect.
 */
async function leaveSilent([path, body]: [string, object]): Promise<TestCaller> {
  const { caller, leave } = await ask(path, body)
  leave()
  await clock.looks(3)
  return caller
}

async function leaveAfterHello(model: string): Promise<TestCaller> {
  const { caller, response, leave } = await ask(...chat(model, true))
  const reader = (await response).body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => text.includes("Hello there"))
  leave()
  return caller
}

test("every vendor in the table of abandoned calls exists, and its entry has a source", () => {
  for (const [id, { source }] of Object.entries(ABANDONED_CALLS)) {
    expect(vendors.has(id)).toBe(true)
    expect(source).toStartWith("https://")
  }
})

const VECTORS: [string, object] = ["/v1/embeddings", { model: "openai/vectors", input: "Hello" }]
const RANKS: [string, object] = [
  "/v1/rerank",
  { model: "cohere/ranks", query: "Hello", documents: ["there"] },
]
const IMAGES: [string, object] = [
  "/v1/images/generations",
  { model: "openai/dall-e-2", prompt: "A cat", response_format: "b64_json" },
]

describe("whole responses of a provider that bills abandoned calls", () => {
  test.each([
    ["chat at OpenAI", chat("openai/plain"), { input: 900, output: 700 }],
    ["chat at an unknown server", chat("unknown/plain"), { input: 900, output: 700 }],
    ["embeddings", VECTORS, { input: 4 }],
    ["rerank", RANKS, { search: 1 }],
    ["images", IMAGES, { image: 1 }],
  ] as const)(
    "continue to their end and are charged in full: %s",
    async (_, [path, body], usage) => {
      const caller = await leaveSilent([path, body])
      expect((await creditsOf(caller)).held).not.toBe("0")
      goOn.resolve()
      const receipt = await onlyReceipt(gateway, caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: false })
      expect(receipt.usage).toMatchObject(usage)
      expect(receipt.attempts).toMatchObject([{ outcome: "ok" }])
    },
  )

  test("cost their input if the deadline expires", async () => {
    const caller = await leaveSilent(chat("openai/plain"))
    await clock.pass(LIMIT + 1_000)
    await wasClosed.promise
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
    expect(receipt.usage).toEqual({ input: 8 })
  })

  test("cost nothing if the provider fails", async () => {
    const caller = await leaveSilent(chat("openai/plain"))
    status = 500
    goOn.resolve()
    expect(await onlyReceipt(gateway, caller)).toMatchObject({ status: "released" })
  })
})

describe("whole responses of a provider that stops when the caller disconnects", () => {
  test.each([
    ["chat", chat("vllm/plain")],
    ["a chat with cancellation in its model's settings", chat("openai/cancelled")],
    ["a stream before its first word", chat("vllm/silent", true)],
    ["embeddings", ["/v1/embeddings", { model: "vllm/vectors", input: "Hello there, gateway" }]],
    ["rerank", ["/v1/rerank", { model: "vllm/ranks", query: "Hello", documents: ["there"] }]],
  ] as [string, [string, object]][])(
    "have their call cancelled, and are charged for their input: %s",
    async (_, asked) => {
      const caller = await leaveSilent(asked)
      await wasClosed.promise
      const receipt = await onlyReceipt(gateway, caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: true })
      expect(Object.keys(receipt.usage ?? {})).toEqual(["input"])
      expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
    },
  )
})

describe("streams whose caller disconnects", () => {
  test("have their call cancelled and are charged by the gateway's count if the provider then stops billing", async () => {
    const caller = await leaveAfterHello("openai/plain")
    await wasClosed.promise
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ estimated: true, usage: { input: 8, output: 2 } })
  })

  test.each(["groq/plain", "unknown/plain", "vllm/drained"])(
    "continue to their end if the provider bills the whole response, or if the settings require it: %s",
    async (model) => {
      const caller = await leaveAfterHello(model)
      goOn.resolve()
      const receipt = await onlyReceipt(gateway, caller)
      expect(receipt).toMatchObject({ estimated: false, usage: { input: 900, output: 700 } })
    },
  )

  test("have their call cancelled when their cost reaches the hold", async () => {
    const caller = await leaveAfterHello("groq/endless")
    goOn.resolve()
    await wasClosed.promise
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    // Chunks that arrive together are counted together, so the cost is low.
    expect(Number(receipt.cost)).toBeLessThan(0.2)
  })
})

test("a caller that disconnects does not count as a failure of the gateway", () => {
  expect(gateway.heard.filter(({ name }) => name === "requestFailed")).toEqual([])
})
