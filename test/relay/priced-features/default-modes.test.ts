import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, message, respond, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { HELLO, nanocredits, receiptOf } from "../support.ts"

const CHAT = "/v1/chat/completions"
const MESSAGES = "/v1/messages"
const RESPONSES = "/v1/responses"

let vendor: ScriptedVendor
let gateway: TestGateway
let answer: JsonObject = {}

beforeAll(async () => {
  vendor = startVendor((request) =>
    respond(new URL(request.url).pathname, vendor.bodies.at(-1), answer),
  )
  const modes = { flex: "0.5", priority: "2", ultrafast: "6", us: "1.1" }
  const at = (name: string, dialect: string) => ({
    ...provider(vendor.url, name),
    dialects: [dialect],
    prices: { modes },
  })
  const model = simulated({ maxOutput: 50 })
  gateway = await startGateway({
    providers: {
      chat: at("azure", "openai-chat"),
      responses: at("azure", "openai-responses"),
      messages: at("anthropic", "anthropic-messages"),
      router: at("vercel", "openai-chat"),
    },
    models: {
      "chat/m": model,
      "chat/flex": model,
      "chat/translated": model,
      "chat/rest": model,
      "chat/rising": model,
      "chat/automatic": model,
      "router/m": model,
      "responses/m": model,
      "messages/m": model,
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function ask(path: string, model: string, more: JsonObject = {}) {
  const caller = await gateway.caller("10")
  const content = path === RESPONSES ? { input: "Hello there" } : { messages: HELLO }
  const limit = path === MESSAGES ? { max_tokens: 50 } : {}
  const posted = await caller.post(path, { model, ...content, ...limit, ...more })
  expect(posted.status, await posted.text()).toBe(200)
  const { hold, cost } = await receiptOf(caller, posted)
  return { hold: nanocredits(hold), cost: nanocredits(cost) }
}

describe("a service mode that a response reports although it was not requested", () => {
  for (const [path, model, reported] of [
    [CHAT, "chat/m", completion({ service_tier: "priority" })],
    [RESPONSES, "responses/m", response([], { service_tier: "priority" })],
  ] as const) {
    test(`increases the hold of the following requests at ${path}`, async () => {
      answer = reported as JsonObject
      const first = await ask(path, model)
      const second = await ask(path, model)
      expect(second.cost).toBe(first.cost)
      expect(second.hold).toBe(first.hold * 2n)
      for (const service_tier of [null, "auto"]) {
        const { hold } = await ask(path, model, { service_tier })
        expect(hold).toBeGreaterThanOrEqual(second.hold)
      }
    })
  }

  test("increases the hold of requests in formats that cannot request the mode", async () => {
    answer = completion({ service_tier: "priority" }) as JsonObject
    const first = await ask(MESSAGES, "chat/translated")
    const second = await ask(MESSAGES, "chat/translated")
    expect([second.hold, second.cost]).toEqual([first.hold * 2n, first.cost])
  })

  test("leaves the hold unchanged if the request names a different mode", async () => {
    answer = completion({ service_tier: "priority" }) as JsonObject
    await ask(CHAT, "chat/m")
    const raised = await ask(CHAT, "chat/m")
    answer = completion({ service_tier: "default" }) as JsonObject
    const standard = await ask(CHAT, "chat/m", { service_tier: "default" })
    expect(standard.hold).toBeLessThan((raised.hold * 3n) / 4n)
    const open = await ask(CHAT, "chat/m")
    expect([open.hold, open.cost]).toEqual([raised.hold, raised.cost / 2n])
  })

  test("changes no holds at other deployments, and no holds if the mode is cheaper", async () => {
    answer = completion({ service_tier: "flex" }) as JsonObject
    const first = await ask(CHAT, "chat/flex")
    expect((await ask(CHAT, "chat/flex")).hold).toBe(first.hold)
    expect((await ask(CHAT, "chat/rest")).hold).toBe(first.hold)
  })

  test("increases the hold again if a response reports a more expensive mode", async () => {
    answer = completion({ service_tier: "priority" }) as JsonObject
    const first = await ask(CHAT, "chat/rising")
    answer = completion({ service_tier: "ultrafast" }) as JsonObject
    expect((await ask(CHAT, "chat/rising")).hold).toBe(first.hold * 2n)
    expect((await ask(CHAT, "chat/rising")).hold).toBe(first.hold * 6n)
  })

  test("increases the hold after requests with the tier auto", async () => {
    answer = completion({ service_tier: "ultrafast" }) as JsonObject
    const first = await ask(CHAT, "chat/automatic", { service_tier: "auto" })
    const second = await ask(CHAT, "chat/automatic", { service_tier: "auto" })
    expect(second.cost).toBe(first.cost)
    expect(second.hold >= second.cost && second.hold > first.hold).toBe(true)
    expect((await ask(CHAT, "chat/automatic")).hold).toBeGreaterThanOrEqual(second.cost)
  })

  test("costs its price only once if several fields of the request set a mode", async () => {
    answer = completion({ service_tier: "default" }) as JsonObject
    const { cost: standard } = await ask(CHAT, "router/m", { service_tier: "default" })
    const options = (serviceTier: string) => ({ providerOptions: { openai: { serviceTier } } })
    for (const [tier, other, halves] of [
      ["flex", "auto", 1n],
      ["flex", "flex", 1n],
      ["priority", "flex", 4n],
    ] as const) {
      answer = completion({ service_tier: tier }) as JsonObject
      const { cost } = await ask(CHAT, "router/m", { service_tier: tier, ...options(other) })
      expect(cost).toBe((standard * halves) / 2n)
    }
  })

  test("increases the hold to the most expensive mode that was reported", async () => {
    answer = completion({ service_tier: "ultrafast" }) as JsonObject
    const first = await ask(CHAT, "chat/rest")
    answer = completion({ service_tier: "priority" }) as JsonObject
    expect((await ask(CHAT, "chat/rest")).hold).toBe(first.hold * 6n)
    expect((await ask(CHAT, "chat/rest")).hold).toBe(first.hold * 6n)
    const automatic = await ask(CHAT, "chat/rest", { service_tier: "auto" })
    expect(automatic.hold >= first.hold * 6n && automatic.hold < first.hold * 9n).toBe(true)
  })

  test("can be a region", async () => {
    answer = message([], { inference_geo: "us" }) as JsonObject
    const first = await ask(MESSAGES, "messages/m")
    expect((await ask(MESSAGES, "messages/m")).hold).toBe((first.hold * 11n) / 10n)
    answer = message([], { inference_geo: "global" }) as JsonObject
    const named = await ask(MESSAGES, "messages/m", { inference_geo: "global" })
    const open = await ask(MESSAGES, "messages/m", { metadata: { user_id: "abcdefghi" } })
    expect(named.hold).toBeLessThan(open.hold)
  })
})
