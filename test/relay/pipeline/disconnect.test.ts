import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { MovableClock } from "../movable-clock.ts"
import {
  DONE,
  frame,
  type ScriptedVendor,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, HELLO, onlyReceipt, readUntil, receiptsOf } from "../support.ts"
import { until } from "../../support/until.ts"

const GOOGLE = "/v1beta/models/"
const LIMIT = 400
const STALL = 60_000

let vendor: ScriptedVendor
let clock: MovableClock
let gateway: TestGateway
/** Resolving it lets the vendor continue. */
let goOn: PromiseWithResolvers<void>
let wasCut: PromiseWithResolvers<void>
/** Resolves when the gateway's connection has accepted the vendor's first words. */
let hasTold: PromiseWithResolvers<void>

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "x",
  content: [],
  usage: { input_tokens: 50_000, output_tokens: 1 },
}
const STARTED = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message })}\n\n`

const COUNTS = { promptTokenCount: 50_000, candidatesTokenCount: 0, totalTokenCount: 50_000 }
const COUNTED = `data: ${JSON.stringify({ usageMetadata: COUNTS, modelVersion: "x", responseId: "r1" })}\n\n`

function* telling(text: string): Generator<string | number> {
  yield text
  hasTold.resolve()
  yield STALL
}

/** Returns the vendor's response, which depends on the name of the model. */
async function answer(): Promise<Response> {
  const { model, stream, contents } = vendor.bodies.at(-1) ?? {}
  const cut = (): void => wasCut.resolve()
  // With Google's dialect, the address contains the model and whether to stream.
  if (contents !== undefined) return streamed(telling(COUNTED), "text/event-stream", cut)
  if (model === "started") return streamed(telling(STARTED), "text/event-stream", cut)
  if (model === "counted") return streamed(telling(usageFrame(50_000, 0)), "text/event-stream", cut)
  if (stream !== true) {
    await goOn.promise
    return Response.json({
      ...wholeResponse(),
      usage: { prompt_tokens: 10, completion_tokens: 700 },
    })
  }
  if (model === "stalls") return streamed([frame("Hello"), STALL], "text/event-stream", cut)
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const encoder = new TextEncoder()
      controller.enqueue(encoder.encode(frame("Hello")))
      await goOn.promise
      const rest = frame(" there").repeat(50) + frame("", "stop") + usageFrame(10, 700) + DONE
      controller.enqueue(encoder.encode(rest))
      controller.close()
    },
    cancel: cut,
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

beforeAll(async () => {
  vendor = startVendor(answer)
  clock = new MovableClock()
  gateway = await startGateway({
    monitor: clock.monitor,
    providers: {
      vendor: provider(vendor.url),
      anthropic: provider(vendor.url.replace("/v1", ""), "anthropic"),
      google: provider(vendor.url.replace("/v1", ""), "google"),
    },
    models: {
      "google/counted": simulated({ disconnect: "cancel" }),
      "anthropic/started": simulated({ disconnect: "cancel" }),
      "vendor/counted": simulated({ disconnect: "cancel" }),
      "vendor/cancelled": simulated({ disconnect: "cancel" }),
      "vendor/drained": simulated(),
      "vendor/stalls": simulated(),
    },
    settings: { disconnect: "drain", disconnectLimit: LIMIT },
  })
  await loadTokenizer(gateway)
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  clock[Symbol.dispose]()
  vendor[Symbol.dispose]()
})

/** On a busy machine, loading the tokenizer takes longer than these tests wait for its counts. */
async function loadTokenizer(on: TestGateway): Promise<void> {
  const caller = await on.caller("1")
  const body = { model: "vendor/stalls", messages: HELLO }
  const counted = await caller.post("/v1/messages/count_tokens", body)
  expect(counted.status).toBe(200)
}

interface Asked {
  readonly caller: TestCaller
  readonly response: Promise<Response>
  leave(): void
}

/** Sends a request, and resolves when the vendor has received it. */
async function ask(model: string, stream: boolean, path = CHAT, on = gateway): Promise<Asked> {
  goOn = Promise.withResolvers()
  wasCut = Promise.withResolvers()
  hasTold = Promise.withResolvers()
  const caller = await on.caller("10")
  const controller = new AbortController()
  const before = vendor.bodies.length
  const response = fetch(on.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(
      path.startsWith(GOOGLE)
        ? { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] }
        : { model, messages: HELLO, max_tokens: 1_000, stream },
    ),
    signal: controller.signal,
  })
  response.catch(() => {})
  await until(() => vendor.bodies.length > before)
  return { caller, response, leave: () => controller.abort() }
}

async function leaveAfter(asked: Asked, word: string): Promise<void> {
  const reader = (await asked.response).body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => text.includes(word))
  asked.leave()
}

describe("input that the vendor counts before the caller disconnects", () => {
  for (const path of ["/v1/messages", CHAT]) {
    test(`results in a charge even before the first word, through ${path}`, async () => {
      const asked = await ask("anthropic/started", true, path)
      // The response to a chat begins with the first word, so there is nothing to read yet.
      if (path !== CHAT) await leaveAfter(asked, "message_start")
      await hasTold.promise
      asked.leave()
      const receipt = await onlyReceipt(gateway, asked.caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: false })
      expect(receipt.usage).toEqual({ input: 50_000, output: 1 })
      await wasCut.promise
    })
  }

  for (const model of ["google/counted", "anthropic/started", "vendor/counted"]) {
    test(`results in a charge even before the first word of ${model}, through Google's API`, async () => {
      const asked = await ask(model, true, `${GOOGLE}${model}:streamGenerateContent?alt=sse`)
      await hasTold.promise
      asked.leave()
      const receipt = await onlyReceipt(gateway, asked.caller)
      expect(receipt).toMatchObject({ status: "settled", estimated: false })
      expect(receipt.usage).toMatchObject({ input: 50_000 })
      await wasCut.promise
    })
  }

  test("costs its price even if the caller has read nothing", async () => {
    const asked = await ask("vendor/counted", true, "/v1/messages")
    await hasTold.promise
    asked.leave()
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt).toMatchObject({ status: "settled", usage: { input: 50_000 } })
    expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
  })
})

describe("a response that is drained after its caller disconnects", () => {
  test("continues until the vendor reports its usage, streamed", async () => {
    const asked = await ask("vendor/drained", true)
    await leaveAfter(asked, "Hello")
    goOn.resolve()
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: false })
    expect(receipt.usage).toEqual({ input: 10, output: 700 })
  })

  test("continues until the vendor reports its usage, whole", async () => {
    const asked = await ask("vendor/drained", false)
    asked.leave()
    // The gateway checks at intervals whether a caller is still connected.
    await clock.looks(2)
    goOn.resolve()
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: false })
    expect(receipt.usage).toEqual({ input: 10, output: 700 })
  })

  test("ends at the deadline, and results in a charge for the received part", async () => {
    const asked = await ask("vendor/stalls", true)
    await leaveAfter(asked, "Hello")
    await wasCut.promise
    const receipt = await onlyReceipt(gateway, asked.caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
  })

  test("ends when the gateway shuts down, and results in a charge for the received part", async () => {
    const ending = await startGateway({
      providers: { vendor: provider(vendor.url) },
      models: { "vendor/stalls": simulated() },
      settings: { disconnect: "drain", disconnectLimit: STALL },
    })
    await using _ = ending
    await loadTokenizer(ending)
    const asked = await ask("vendor/stalls", true, CHAT, ending)
    await leaveAfter(asked, "Hello")
    await ending.app[Symbol.asyncDispose]()
    await wasCut.promise
    expect(receiptsOf(ending, asked.caller)).toMatchObject([{ status: "settled", estimated: true }])
  })
})

test("the settings can require that calls to one model are cancelled while other calls are drained", async () => {
  const asked = await ask("vendor/cancelled", true)
  await leaveAfter(asked, "Hello")
  await wasCut.promise
  expect(await onlyReceipt(gateway, asked.caller)).toMatchObject({ estimated: true })
})
