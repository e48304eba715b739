import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, nanocredits, receiptOf } from "../support.ts"

/** Providers that count the output of an answer and not its input. */

type Json = Record<string, unknown>

const TEXT = "Owls see well in the dark, and hear even better."
/** Usage as each format reports it, without the input. */
const USAGE: Readonly<Record<string, Json>> = {
  chat: { completion_tokens: 76 },
  zero: { prompt_tokens: 0, completion_tokens: 76, total_tokens: 76 },
  gemini: { candidatesTokenCount: 18, thoughtsTokenCount: 58 },
  messages: { output_tokens: 76 },
}

function frames(list: readonly Json[]): Response {
  return streamed(
    list.map((data) => {
      const event = typeof data["type"] === "string" ? `event: ${data["type"]}\n` : ""
      return `${event}data: ${JSON.stringify(data)}\n\n`
    }),
  )
}

/** An answer in the format of the path, streamed if it is asked to be. */
function answer(path: string, body: Json): Response {
  if (path.includes("GenerateContent") || path.includes("generateContent")) {
    const parts = [{ text: "A bird." }]
    const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }]
    const whole = { candidates, usageMetadata: USAGE["gemini"], modelVersion: "m" }
    return path.includes("stream") ? frames([whole]) : Response.json(whole)
  }
  if (path.endsWith("/messages")) {
    const head = { id: "msg_1", type: "message", role: "assistant", model: "m" }
    const usage = USAGE["messages"]
    const content = [{ type: "text", text: "A bird." }]
    if (body["stream"] !== true) {
      return Response.json({
        ...head,
        content,
        stop_reason: "end_turn",
        stop_sequence: null,
        usage,
      })
    }
    return frames([
      { type: "message_start", message: { ...head, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "A bird." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 76 } },
      { type: "message_stop" },
    ])
  }
  const usage = USAGE[String(body["model"])]
  const head = { id: "chatcmpl-1", created: 1, model: "m" }
  if (body["stream"] !== true) {
    const message = { role: "assistant", content: "A bird." }
    const choices = [{ index: 0, message, finish_reason: "stop" }]
    return Response.json({ ...head, object: "chat.completion", choices, usage })
  }
  const chunk = (delta: Json, more: Json = {}): Json => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  })
  return frames([
    chunk({ role: "assistant", content: "A bird." }),
    chunk({}, { finish_reason: "stop" }),
    { ...head, object: "chat.completion.chunk", choices: [], usage },
  ])
}

let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor((request, number) =>
    answer(new URL(request.url).pathname, vendor.bodies[number - 1] ?? {}),
  )
  const root = vendor.url.replace(/\/v1$/, "")
  gateway = await startGateway({
    providers: {
      plain: provider(vendor.url),
      google: { ...provider(root, "google"), apiKey: "key" },
      anthropic: { ...provider(root, "anthropic"), apiKey: "key" },
    },
    models: {
      "plain/chat": simulated({ deployments: [{ provider: "plain", model: "chat", weight: 1 }] }),
      "plain/zero": simulated({ deployments: [{ provider: "plain", model: "zero", weight: 1 }] }),
      "google/gemini-2.5-flash": simulated({
        deployments: [{ provider: "google", model: "gemini-2.5-flash", weight: 1 }],
      }),
      "anthropic/claude": simulated({
        maxOutput: 1_000,
        deployments: [{ provider: "anthropic", model: "claude", weight: 1 }],
      }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

interface Asked {
  readonly path: string
  readonly body: Json
  /** What an answer shows of the input. */
  readonly shown: (input: number) => string
}

function ask(model: string, stream: boolean): Asked {
  if (!model.startsWith("google")) {
    const messages = [{ role: "user", content: TEXT }]
    const more = stream ? { stream, stream_options: { include_usage: true } } : {}
    return {
      path: CHAT,
      body: { model, messages, ...more },
      shown: (input) => `"prompt_tokens":${input},"completion_tokens":76`,
    }
  }
  const method = stream ? "streamGenerateContent?alt=sse" : "generateContent"
  const fileData = { mimeType: "image/png", fileUri: "https://example.com/owl.png" }
  return {
    path: `/v1beta/models/${model}:${method}`,
    body: { contents: [{ role: "user", parts: [{ text: TEXT }, { fileData }] }] },
    shown: (input) =>
      `"promptTokenCount":${input},"candidatesTokenCount":18,"totalTokenCount":${input + 76},"thoughtsTokenCount":58`,
  }
}

const MODELS = ["plain/chat", "google/gemini-2.5-flash", "anthropic/claude"]

test("input that is counted as none costs nothing", async () => {
  const caller = await gateway.caller("10")
  const { path, body } = ask("plain/zero", false)
  const { usage, cost, estimated } = await receiptOf(caller, await caller.post(path, body))
  expect([usage, estimated]).toEqual([{ output: 76 }, false])
  expect(nanocredits(cost)).toBe(76n * 2_000n)
})

for (const model of MODELS) {
  for (const stream of [false, true]) {
    test(`input of ${model} is estimated, ${stream ? "streamed" : "whole"}`, async () => {
      const caller = await gateway.caller("10")
      const { path, body, shown } = ask(model, stream)
      const response = await caller.post(path, body)
      const text = await response.text()
      expect(response.status, text).toBe(200)
      const { usage, cost, estimated } = await receiptOf(caller, response)
      expect(estimated).toBe(true)
      // The output is what the provider counted.
      expect(usage?.["output"]).toBe(76)
      const input = usage?.["input"] ?? 0
      // An image of an unknown size counts as a common one.
      const [least, most] = model.startsWith("google") ? [1_000, 5_000] : [8, 40]
      expect(input).toBeGreaterThan(least)
      expect(input).toBeLessThan(most)
      expect(nanocredits(cost)).toBe(BigInt(input) * 1_000n + 76n * 2_000n)
      expect(text).toContain(shown(input))
    })
  }
}
