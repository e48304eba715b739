import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { errorOf, HELLO, nanocredits, receiptOf } from "../support.ts"

const CHAT = "/v1/chat/completions"

let gateway: TestGateway
let vendor: ScriptedVendor

beforeAll(async () => {
  vendor = startVendor((_, number) => respond(CHAT, vendor.bodies[number - 1], completion({})))
  gateway = await startGateway({
    providers: { router: provider(vendor.url, "openrouter") },
    models: { "router/m": simulated({ context: 10_000_000, maxOutput: 50 }) },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

function order(parameters: object | undefined, stream = false) {
  const tool = { type: "openrouter:web_fetch", ...(parameters && { parameters }) }
  return { model: "router/m", messages: HELLO, max_tokens: 50, tools: [tool], stream }
}

test.each([
  [undefined, { engine: "openrouter", max_uses: 10, max_content_tokens: 8_000 }],
  [{}, { engine: "openrouter", max_uses: 10, max_content_tokens: 8_000 }],
  [{ max_uses: 3 }, { engine: "openrouter", max_uses: 3, max_content_tokens: 8_000 }],
  [
    { engine: "native", max_content_tokens: 50, allowed_domains: ["a.example"] },
    { engine: "native", max_uses: 10, max_content_tokens: 50, allowed_domains: ["a.example"] },
  ],
])(
  "page fetches by OpenRouter are requested with a free engine and with limits: %j",
  async (own, sent) => {
    for (const stream of [false, true]) {
      const caller = await gateway.caller("1000")
      const response = await caller.post(CHAT, order(own, stream))
      expect(response.status, await response.text()).toBe(200)
      const [tool] = (vendor.bodies.at(-1)?.["tools"] ?? []) as { parameters: object }[]
      expect(tool?.parameters).toEqual(sent)
    }
  },
)

test("the hold for page fetches by OpenRouter covers the limits in the request", async () => {
  const caller = await gateway.caller("1000")
  const holdOf = async (parameters: object): Promise<bigint> => {
    const response = await caller.post(CHAT, order(parameters))
    await response.text()
    return nanocredits((await receiptOf(caller, response)).hold)
  }
  const few = await holdOf({ max_uses: 1, max_content_tokens: 1_000 })
  const many = await holdOf({ max_uses: 50, max_content_tokens: 100_000 })
  // The price is 1,000 nanocredits a token. Each of 50 turns may add 100,000 tokens to those that follow.
  expect(many).toBeGreaterThan(few + 50n * 100_000n * 1_000n)
})

test.each(["exa", "auto", "firecrawl", "parallel"])(
  "page fetches by OpenRouter are rejected with the engine %s, which is billed",
  async (engine) => {
    const sent = vendor.bodies.length
    const caller = await gateway.caller("1000")
    const error = await errorOf(await caller.post(CHAT, order({ engine })))
    expect(error).toMatchObject({
      status: 400,
      code: "feature_not_priced",
      param: "tools[0].parameters.engine",
    })
    expect(error.message).toContain("Write openrouter or native.")
    expect(vendor.bodies.length).toBe(sent)
  },
)
