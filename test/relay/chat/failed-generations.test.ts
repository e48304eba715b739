import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { provider, startGateway } from "../../support/gateway.ts"
import type { TestCaller, TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, keptReceiptOf, receiptOf } from "../support.ts"

/**
 * A vendor whose generations fail. Callers pay nothing, the provider bills the operator, and the gateway does not
 * retry.
 */

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let answer: Record<string, unknown>

const GEMINI_USAGE = { promptTokenCount: 1000, thoughtsTokenCount: 2000, totalTokenCount: 3000 }

beforeAll(async () => {
  vendor = startVendor((request) => {
    if (!request.url.includes("stream")) return Response.json(answer)
    const headers = { "content-type": "text/event-stream" }
    return new Response(`data: ${JSON.stringify(answer)}\n\n`, { headers })
  })
  const root = vendor.url.replace(/\/v1$/, "")
  const model = {
    kind: "chat",
    price: { input: "1", output: "10" },
    context: 100_000,
    maxOutput: 4000,
  } as const
  gateway = await startGateway({
    settings: { routing: { strategy: "order", affinity: true, hedge: false, retries: 2 } },
    providers: { google: { ...provider(root, "google"), apiKey: "key" } },
    models: {
      "google/gemini": {
        ...model,
        deployments: [{ provider: "google", model: "gemini-2.5-flash", weight: 1 }],
      },
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

beforeEach(() => {
  vendor.bodies.length = 0
})

test.each([
  ["MALFORMED_FUNCTION_CALL", false],
  ["MALFORMED_FUNCTION_CALL", true],
  ["UNEXPECTED_TOOL_CALL", false],
  ["TOO_MANY_TOOL_CALLS", true],
  ["MALFORMED_RESPONSE", false],
  ["OTHER", true],
] as const)(
  "the operator, and not the caller, pays for a response that ends with %s",
  async (word, stream) => {
    answer = {
      candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: word }],
      usageMetadata: GEMINI_USAGE,
    }
    const order = { model: "google/gemini", messages: HELLO, max_tokens: 4000, stream }
    const response = await caller.post(CHAT, order)
    expect((await errorOf(response)).status).toBe(502)
    expect(vendor.bodies).toHaveLength(1)
    const { id, cost } = await receiptOf(caller, response)
    expect(cost).toBe("0")
    const attempts = keptReceiptOf(gateway, id)?.attempts ?? []
    expect(attempts.map(({ provider_cost: billed }) => billed)).toEqual(["0.021"])
  },
)
