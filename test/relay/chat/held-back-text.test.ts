import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { frame, type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, contentOf, HELLO, onlyReceipt } from "../support.ts"

/** More sequences than OpenAI takes, so that the relay searches for them. */
const STOP = ["a1", "b2", "c3", "d4", "STOP"]
const ERROR = `data: ${JSON.stringify({ error: { message: "Overheated.", type: "server_error" } })}\n\n`

let answer: () => Response
let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor(() => answer())
  gateway = await startGateway({
    // Groq returns only one choice.
    providers: { vendor: provider(vendor.url), single: provider(vendor.url, "groq") },
    models: {
      "vendor/model": simulated(),
      "single/model": simulated(),
      "vendor/responses": simulated({ dialects: ["openai-responses"] }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Returns the content that a caller reads before the error. */
async function toldBefore(body: object): Promise<string> {
  const caller = await gateway.caller("1")
  const response = await caller.post(CHAT, { messages: HELLO, stream: true, ...body })
  const text = await response.text()
  const end = text.indexOf('data: {"error"')
  expect(end).toBeGreaterThan(0)
  expect(text).not.toContain("[DONE]")
  expect(text).not.toContain('"finish_reason":"stop"')
  return contentOf(text.slice(0, end))
}

describe("text held back as a possible stop sequence", () => {
  test.each([
    ["an error in a chunk of its own", () => streamed([frame("Hello "), frame("STO"), ERROR])],
    ["an error in the same chunk", () => streamed([frame("Hello STO") + ERROR])],
    [
      "an error after text that is completely held back",
      () => streamed([frame("Hello "), frame("STO") + ERROR]),
    ],
    ["an unreadable frame", () => streamed([frame("Hello "), frame("STO"), "data: {\n\n"])],
    ["an end without a final event", () => streamed([frame("Hello "), frame("STO")])],
  ])("arrives before an error that ends the stream: %s", async (_name, written) => {
    answer = written
    expect(await toldBefore({ model: "vendor/model", stop: STOP })).toBe("Hello STO")
  })
})

test("text held back in other calls of a request is sent when one call fails", async () => {
  const hasHeld = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  let calls = 0
  answer = () => {
    const isFailing = calls++ === 1
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(frame(isFailing ? "Hi" : "Hello STO")))
        if (!isFailing) return
        await hasHeld.promise
        controller.enqueue(encoder.encode(ERROR))
        controller.close()
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }
  const caller = await gateway.caller("1")
  const order = { model: "single/model", messages: HELLO, stop: STOP, n: 2, stream: true }
  const response = await caller.post(CHAT, order)
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) break
    text += decoder.decode(value, { stream: true })
    if (text.includes("Hello ") && text.includes("Hi")) hasHeld.resolve()
  }
  const end = text.indexOf('data: {"error"')
  expect(end).toBeGreaterThan(0)
  const told = contentOf(text.slice(0, end))
  expect(told.replace("Hi", "")).toBe("Hello STO")
})

/** Returns a stream of OpenAI's Responses API with a text followed by other events. */
function responses(text: string, ...rest: { readonly type: string }[]): Response {
  const response = { id: "resp_1", object: "response", created_at: 1, status: "in_progress" }
  const item = { id: "msg_1", type: "message", role: "assistant", content: [] }
  const events = [
    { type: "response.created", response: { ...response, output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: text },
    ...rest,
  ]
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  return streamed(frames)
}

describe("text counted by the relay", () => {
  const FAILED = { type: "error", message: "Overheated.", code: "server_error" }

  test("reaches the caller up to the output limit before the error", async () => {
    answer = () => responses("one two", FAILED)
    const body = { model: "vendor/responses", max_tokens: 5 }
    expect(await toldBefore(body)).toBe("one two")
  })

  test("completes the response if the text reaches the output limit before the error", async () => {
    answer = () => responses("one two three four five", FAILED)
    const caller = await gateway.caller("1")
    const body = { model: "vendor/responses", messages: HELLO, stream: true, max_tokens: 3 }
    const text = await (await caller.post(CHAT, body)).text()
    expect(contentOf(text)).toBe("one two three")
    expect(text).toContain('"finish_reason":"length"')
    expect(text).toEndWith("data: [DONE]\n\n")
    expect(await onlyReceipt(gateway, caller)).toMatchObject({ status: "settled" })
  })
})
