import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, HELLO } from "../support.ts"

/** So many digits that no time or id of a response contains them. */
const COST = 70_717_273_747_576
const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  estimated_cost: COST,
  cost_in_usd_ticks: COST,
  cost: COST,
  market_cost: COST,
}
const HEAD = {
  id: "c",
  created: 1,
  model: "m",
  provider_metadata: { gateway: { cost: `${COST}`, marketCost: `${COST}`, generationId: "g" } },
  _hidden_params: { response_cost: COST },
}
/** Vercel's metadata of a message. */
const GATEWAY = {
  gateway: {
    routing: { finalProvider: "secret-server", attempts: [{ credentialType: "byok" }] },
    cost: `${COST}`,
    gatewayCost: `${COST}`,
    inferenceCost: `${COST}`,
    calls: [{ inputInferenceCost: COST }],
  },
}
const MESSAGE = {
  role: "assistant",
  content: "hi",
  provider_metadata: GATEWAY,
  providerMetadata: GATEWAY,
}

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor((_request, number) => {
    if (vendor.bodies[number - 1]?.["stream"] !== true) {
      const choices = [
        { index: 0, message: MESSAGE, finish_reason: "stop", provider_metadata: GATEWAY },
      ]
      return Response.json({ ...HEAD, object: "chat.completion", choices, usage: USAGE })
    }
    const chunk = { ...HEAD, object: "chat.completion.chunk" }
    const chunks = [
      { ...chunk, choices: [{ index: 0, delta: MESSAGE, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { ...chunk, choices: [], usage: USAGE },
    ]
    return streamed([
      ...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`),
      "data: [DONE]\n\n",
    ])
  })
  gateway = await startGateway({
    providers: { vercel: provider(vendor.url, "openai-compatible") },
    models: { "vercel/m": simulated() },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const model = "vercel/m"
const whole = { model, messages: HELLO, max_tokens: 9 }
const stream = { ...whole, stream: true, stream_options: { include_usage: true } }

test.each([
  [CHAT, whole],
  [CHAT, stream],
  [CHAT, { ...whole, stop: ["x", "y", "z", "a", "b"] }],
  [CHAT, { ...stream, stop: ["x", "y", "z", "a", "b"] }],
  ["/v1/messages", whole],
  ["/v1/messages", { ...whole, stream: true }],
  ["/v1/responses", { model, input: "Hi" }],
])("%s hides the vendor's charges from the caller: %j", async (path, body) => {
  const response = await caller.post(path, body)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, expect.stringContaining("hi")])
  expect(text).not.toContain(`${COST}`)
  expect(text).not.toContain("_hidden_params")
  expect(text).not.toContain("secret-server")
  expect(text).not.toContain("byok")
  if (path === CHAT) expect(text).toContain('"generationId":"g"')
})
