import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { respond, textResponse } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, nanocredits, receiptOf } from "../support.ts"

/** The tests use providers that report the output tokens of a response but not its input tokens. */

type Json = Record<string, unknown>

const TEXT = "Owls see well in the dark, and hear even better."
/** Usage without input tokens, as each format reports it. */
const USAGE: Readonly<Record<string, Json>> = {
  chat: { completion_tokens: 76 },
  zero: { prompt_tokens: 0, completion_tokens: 76, total_tokens: 76 },
  gemini: { candidatesTokenCount: 18, thoughtsTokenCount: 58 },
  messages: { output_tokens: 76 },
}

function usageAt(path: string, body: Json | undefined): Json | undefined {
  if (path.includes("enerateContent")) return USAGE["gemini"]
  return USAGE[path.endsWith("/messages") ? "messages" : String(body?.["model"])]
}

let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor((request, number) => {
    const { pathname } = new URL(request.url)
    const body = vendor.bodies[number - 1]
    return respond(pathname, body, textResponse(pathname, "A bird.", usageAt(pathname, body)))
  })
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
  /** Returns the usage that a response shows for the given number of input tokens. */
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

test("input that a vendor reports as zero is free", async () => {
  const caller = await gateway.caller("10")
  const { path, body } = ask("plain/zero", false)
  const { usage, cost, estimated } = await receiptOf(caller, await caller.post(path, body))
  expect([usage, estimated]).toEqual([{ output: 76 }, false])
  expect(nanocredits(cost)).toBe(76n * 2_000n)
})

for (const model of MODELS) {
  for (const stream of [false, true]) {
    test(`unreported input of ${model} is estimated, ${stream ? "streamed" : "whole"}`, async () => {
      const caller = await gateway.caller("10")
      const { path, body, shown } = ask(model, stream)
      const response = await caller.post(path, body)
      const text = await response.text()
      expect(response.status, text).toBe(200)
      const { usage, cost, estimated } = await receiptOf(caller, response)
      expect(estimated).toBe(true)
      // The output is the number that the provider reported.
      expect(usage?.["output"]).toBe(76)
      const input = usage?.["input"] ?? 0
      // An image of unknown size counts as an image of common size.
      const [least, most] = model.startsWith("google") ? [1_000, 5_000] : [8, 40]
      expect(input).toBeGreaterThan(least)
      expect(input).toBeLessThan(most)
      expect(nanocredits(cost)).toBe(BigInt(input) * 1_000n + 76n * 2_000n)
      expect(text).toContain(shown(input))
    })
  }
}
