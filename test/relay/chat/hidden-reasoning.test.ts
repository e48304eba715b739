import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { DONE, frame, type ScriptedVendor, startVendor, usageFrame } from "../scripted-vendor.ts"
import { CHAT, HELLO, nothingHeld, onlyReceipt, readUntil, receiptsOf } from "../support.ts"

const LIMIT = 1_000
const SENTINEL = " DONE"
/** Number of output tokens that the providers report. Ten of them are text, and the others are reasoning. */
const OUTPUT = 20_010

let vendor: ScriptedVendor
let gateway: TestGateway
/** Resolving it lets the provider report its usage. */
let goOn: PromiseWithResolvers<void>
/** Resolves when the call of the provider has been cancelled. */
let wasCut: PromiseWithResolvers<void>

interface Script {
  readonly text: string
  readonly end: string
}

const responsesEvent = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

const RESPONSE = { id: "resp_1", object: "response", output: [] }
const RESPONSES: Script = {
  text:
    responsesEvent("response.created", { response: { ...RESPONSE, status: "in_progress" } }) +
    responsesEvent("response.output_text.delta", {
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: `The answer.${SENTINEL}`,
    }),
  end: responsesEvent("response.completed", {
    response: {
      ...RESPONSE,
      status: "completed",
      usage: { input_tokens: 10, output_tokens: OUTPUT, total_tokens: OUTPUT + 10 },
    },
  }),
}
const COMPLETIONS: Script = {
  text: frame(`The answer.${SENTINEL}`),
  end: frame("", "stop") + usageFrame(10, OUTPUT) + DONE,
}
const candidate = (text: string, rest: object): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, ...rest }] })}\n\n`
const GEMINI: Script = {
  text: candidate(`The answer.${SENTINEL}`, {}),
  end: `data: ${JSON.stringify({
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, thoughtsTokenCount: 20_000 },
  })}\n\n`,
}

function scriptOf(url: string): Script {
  if (url.includes("/responses")) return RESPONSES
  return url.includes("GenerateContent") ? GEMINI : COMPLETIONS
}

/** Returns a response whose text comes immediately or after a pause, and whose usage comes when the test allows it. */
function answer(request: Request): Response {
  const { text, end } = scriptOf(request.url)
  const { messages } = (vendor.bodies.at(-1) ?? {}) as { messages?: { content: string }[] }
  const isSilent = messages?.[0]?.content === "Only think."
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encoder.encode(isSilent ? ": thinking\n\n" : text))
      await goOn.promise
      controller.enqueue(encoder.encode((isSilent ? text : "") + end))
      controller.close()
    },
    cancel: () => wasCut.resolve(),
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

beforeAll(async () => {
  vendor = startVendor(answer)
  const root = vendor.url.replace("/v1", "")
  const longest = { maxOutput: 100_000, context: 400_000 }
  gateway = await startGateway({
    providers: {
      openai: provider(vendor.url, "openai"),
      google: provider(root, "google"),
      vendor: provider(vendor.url),
      own: provider(vendor.url, "lm-studio"),
    },
    models: {
      "openai/gpt-5.4": simulated(longest),
      "openai/gpt-5.5": simulated({ ...longest, dialects: ["openai-responses"] }),
      "openai/o3": simulated({ ...longest, disconnect: "cancel" }),
      "google/gemini-2.5-pro": simulated(longest),
      "vendor/model": simulated(longest),
      "own/model": simulated(longest),
    },
    settings: { disconnectLimit: LIMIT },
  })
  // On a busy machine, loading the tokenizer takes longer than these tests wait for its counts.
  const caller = await gateway.caller("1")
  await caller.post("/v1/messages/count_tokens", { model: "vendor/model", messages: HELLO })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

beforeEach(() => {
  goOn = Promise.withResolvers()
  wasCut = Promise.withResolvers()
})

const SIX = ["a1", "b2", "c3", "d4", "e5", SENTINEL]
const GOOGLE = "/v1beta/models/google/gemini-2.5-pro"
const contents = [{ role: "user", parts: [{ text: "Hello" }] }]

/** Requests with a stop sequence that the relay itself applies. */
const STOPPED: readonly (readonly [path: string, body: object])[] = [
  [CHAT, { model: "openai/gpt-5.4", messages: HELLO, stop: [SENTINEL] }],
  [CHAT, { model: "openai/gpt-5.4", messages: HELLO, stop: [SENTINEL], stream: true }],
  [
    "/v1/messages",
    { model: "openai/gpt-5.4", max_tokens: 30_000, messages: HELLO, stop_sequences: [SENTINEL] },
  ],
  [
    "/v1/messages",
    {
      model: "openai/gpt-5.4",
      max_tokens: 30_000,
      messages: HELLO,
      stop_sequences: [SENTINEL],
      stream: true,
    },
  ],
  [
    "/v1/messages",
    {
      model: "google/gemini-2.5-pro",
      max_tokens: 30_000,
      messages: HELLO,
      stop_sequences: [SENTINEL],
    },
  ],
  [CHAT, { model: "google/gemini-2.5-pro", messages: HELLO, stop: SIX, stream: true }],
  [CHAT, { model: "google/gemini-2.5-pro", messages: HELLO, stop: SIX }],
  [`${GOOGLE}:generateContent`, { contents, generationConfig: { stopSequences: SIX } }],
  [
    `${GOOGLE}:streamGenerateContent?alt=sse`,
    { contents, generationConfig: { stopSequences: SIX } },
  ],
  [CHAT, { model: "openai/gpt-5.5", messages: HELLO, stop: SIX, n: 2 }],
  [CHAT, { model: "openai/gpt-5.5", messages: HELLO, stop: SIX, n: 2, stream: true }],
]

describe("a response that the relay ends at a stop sequence", () => {
  for (const [path, body] of STOPPED) {
    const {
      model = "",
      stream = path.includes("stream"),
      n,
    } = body as { model?: string; stream?: boolean; n?: number }
    test(`includes its reasoning in the charge: ${path} ${model} ${stream ? "streamed" : "whole"} ${n ?? ""}`, async () => {
      const caller = await gateway.caller("100", { concurrentRequests: 1 })
      const response = await caller.post(path, body)
      // The provider is still reasoning, so the charge is not known yet.
      const text = await response.text()
      expect(response.status).toBe(200)
      expect(text).toContain('"The answer."')
      expect(response.headers.get("x-tollgate-cost")).toBeNull()
      expect(text).not.toContain('"cost"')
      expect(receiptsOf(gateway, caller)).toEqual([])
      // The request no longer counts as running.
      expect((await caller.post(CHAT, { model: "nobody/none", messages: HELLO })).status).toBe(404)
      goOn.resolve()
      const receipt = await onlyReceipt(gateway, caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: false })
      expect(receipt.usage).toMatchObject({ output: OUTPUT * (n ?? 1) })
      expect(receipt.attempts[0]).toMatchObject({ outcome: "ok" })
    })
  }

  test("costs an estimated amount if the provider does not report its usage in time", async () => {
    const caller = await gateway.caller("100")
    const body = { model: "openai/gpt-5.4", messages: HELLO, stop: [SENTINEL] }
    const asked = performance.now()
    await (await caller.post(CHAT, body)).text()
    await wasCut.promise
    const receipt = await onlyReceipt(gateway, caller)
    const most = (performance.now() - asked) / 10
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.usage?.["reasoning"]).toBeGreaterThan(0)
    expect(receipt.usage?.["reasoning"]).toBeLessThan(most + 1)
  })

  test("ends with a cancelled call if the server is known to stop generating", async () => {
    const caller = await gateway.caller("100")
    const body = { model: "own/model", messages: HELLO, stop: SIX }
    const response = await caller.post(CHAT, body)
    expect(response.headers.get("x-tollgate-cost")).not.toBeNull()
    await wasCut.promise
    expect(await onlyReceipt(gateway, caller)).toMatchObject({ estimated: true })
  })

  test("continues to its end if the caller requested hidden reasoning", async () => {
    const caller = await gateway.caller("100")
    const body = { model: "vendor/model", messages: HELLO, stop: SIX, include_reasoning: false }
    expect(await (await caller.post(CHAT, body)).text()).toContain("The answer.")
    goOn.resolve()
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt.usage).toMatchObject({ output: OUTPUT })
  })
})

interface Asked {
  readonly caller: TestCaller
  readonly response: Promise<Response>
  leave(): void
}

async function ask(path: string, body: object): Promise<Asked> {
  const caller = await gateway.caller("100", { concurrentRequests: 1 })
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

async function leaveAfter({ response, leave }: Asked, word: string): Promise<void> {
  const reader = (await response).body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => text.includes(word))
  leave()
}

/** Requests whose caller disconnects after the text. */
const LEFT: readonly (readonly [path: string, body: object])[] = [
  [CHAT, { model: "openai/gpt-5.4", messages: HELLO, stream: true }],
  ["/v1/responses", { model: "openai/gpt-5.4", input: "Hello", stream: true }],
  ["/v1/messages", { model: "openai/gpt-5.4", max_tokens: 30_000, messages: HELLO, stream: true }],
  [CHAT, { model: "google/gemini-2.5-pro", messages: HELLO, stream: true }],
  [`${GOOGLE}:streamGenerateContent?alt=sse`, { contents }],
  [CHAT, { model: "openai/gpt-5.5", messages: HELLO, stream: true, n: 2 }],
]

describe("a caller that disconnects", () => {
  for (const [path, body] of LEFT) {
    const { model = "", n = 1 } = body as { model?: string; n?: number }
    test(`pays for the hidden reasoning that the vendor reports: ${path} ${model} ${n}`, async () => {
      const asked = await ask(path, body)
      const { caller } = asked
      await leaveAfter(asked, "DONE")
      // A key that allows one request at a time may send the next request.
      await until(
        async () =>
          (await caller.post(CHAT, { model: "nobody/none", messages: HELLO })).status === 404,
      )
      goOn.resolve()
      const receipt = await onlyReceipt(gateway, caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: false })
      expect(receipt.usage).toMatchObject({ output: OUTPUT * n })
    })
  }

  const silent = { model: "openai/gpt-5.4", messages: [{ role: "user", content: "Only think." }] }

  test("pays for hidden reasoning even before the first word", async () => {
    const asked = await ask(CHAT, { ...silent, stream: true })
    asked.leave()
    goOn.resolve()
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt.usage).toMatchObject({ output: OUTPUT })
  })

  test("pays an estimated amount if the provider sends only reasoning until the call is cancelled", async () => {
    const asked = await ask(CHAT, { ...silent, stream: true })
    asked.leave()
    await wasCut.promise
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
    expect(receipt.usage?.["output"]).toBe(receipt.usage?.["reasoning"])
    expect(receipt.usage?.["reasoning"]).toBeGreaterThanOrEqual(LIMIT / 10)
  })

  test("pays an estimated amount if the model's settings require immediate cancellation", async () => {
    const asked = await ask(CHAT, { model: "openai/o3", messages: HELLO, stream: true })
    await leaveAfter(asked, "DONE")
    await wasCut.promise
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.usage?.["reasoning"]).toBeGreaterThan(0)
  })

  test("cancels the call if the model has no hidden reasoning", async () => {
    const asked = await ask(CHAT, { model: "own/model", messages: HELLO, stream: true })
    await leaveAfter(asked, "DONE")
    await wasCut.promise
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt.usage).not.toHaveProperty("reasoning")
    await nothingHeld(asked.caller)
  })
})
