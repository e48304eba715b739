import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { PriceSettings } from "../../../src/config/settings.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { HELLO, nanocredits, receiptOf } from "../support.ts"

const CHAT = "/v1/chat/completions"
const RESPONSES = "/v1/responses"
const STANDARD = 120_000n
/** A prompt of more than 90 tokens. */
const PROMPT = [{ role: "user", content: "Hello there, gateway. ".repeat(100) }]

let vendor: ScriptedVendor
let gateway: TestGateway
let answer: JsonObject = {}

beforeAll(async () => {
  vendor = startVendor((request) =>
    respond(new URL(request.url).pathname, vendor.bodies.at(-1), answer),
  )
  const at = (dialect: string) => ({
    ...provider(vendor.url, "azure"),
    dialects: [dialect],
    prices: { modes: { batch: "0.5", flex: "0.5", priority: "2", ultrafast: "6" } },
  })
  const model = simulated({ maxOutput: 50 })
  gateway = await startGateway({
    providers: {
      chat: at("openai-chat"),
      responses: at("openai-responses"),
      plain: provider(vendor.url, "azure"),
    },
    models: {
      "chat/m": model,
      "chat/rated": simulated({ maxOutput: 50, price: RATES }),
      "chat/mixed": simulated({ maxOutput: 50, price: MIXED }),
      "chat/falling": simulated({ maxOutput: 50, price: FALLING }),
      "chat/falling-mode": simulated({ maxOutput: 50, price: FALLING_MODE }),
      "responses/m": model,
      "plain/m": model,
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function costOf(
  path: string,
  tier: string | undefined,
  reported: string | undefined,
  stream: boolean,
) {
  const more = reported === undefined ? {} : { service_tier: reported }
  answer = (path === CHAT ? completion(more) : response([], more)) as JsonObject
  const caller = await gateway.caller("10")
  const said = path === CHAT ? { messages: HELLO } : { input: "Hello there" }
  const model = path === CHAT ? "chat/m" : "responses/m"
  const posted = await caller.post(path, {
    model,
    ...said,
    ...(tier !== undefined && { service_tier: tier }),
    stream,
  })
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  const { cost, hold } = await receiptOf(caller, posted)
  if (tier !== undefined) expect(nanocredits(hold)).toBeGreaterThanOrEqual(nanocredits(cost))
  return nanocredits(cost)
}

for (const path of [CHAT, RESPONSES]) {
  for (const stream of [false, true]) {
    describe(`the service tier of a request to ${path}, ${stream ? "streamed" : "whole"}`, () => {
      for (const tier of ["batch", "flex"]) {
        test(`costs the standard price for ${tier} unless the response reports that tier`, async () => {
          expect(await costOf(path, tier, undefined, stream)).toBe(STANDARD)
          expect(await costOf(path, tier, "default", stream)).toBe(STANDARD)
          expect(await costOf(path, tier, "auto", stream)).toBe(STANDARD)
          expect(await costOf(path, tier, tier, stream)).toBe(STANDARD / 2n)
        })
      }

      test("costs the price of the tier that only the response names", async () => {
        expect(await costOf(path, undefined, "priority", stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, undefined, "default", stream)).toBe(STANDARD)
        expect(await costOf(path, undefined, "flex", stream)).toBe(STANDARD / 2n)
        expect(await costOf(path, undefined, "fast", stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, undefined, "ultrafast", stream)).toBe(STANDARD * 6n)
        expect(await costOf(path, undefined, "unheard_of", stream)).toBe(STANDARD)
      })

      test("costs the priority price unless the response reports another tier", async () => {
        expect(await costOf(path, "priority", undefined, stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, "priority", "default", stream)).toBe(STANDARD)
        expect(await costOf(path, "priority", "priority", stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, "priority", "fast", stream)).toBe(STANDARD * 2n)
      })

      test("costs the priority price for the tier fast", async () => {
        expect(await costOf(path, "fast", undefined, stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, "fast", "fast", stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, "fast", "priority", stream)).toBe(STANDARD * 2n)
        expect(await costOf(path, "fast", "default", stream)).toBe(STANDARD)
        expect(await costOf(path, "auto", "fast", stream)).toBe(STANDARD * 2n)
      })

      test("costs the ultrafast price unless the response reports another tier", async () => {
        expect(await costOf(path, "ultrafast", "ultrafast", stream)).toBe(STANDARD * 6n)
        expect(await costOf(path, "ultrafast", undefined, stream)).toBe(STANDARD * 6n)
        expect(await costOf(path, "ultrafast", "fast", stream)).toBe(STANDARD * 2n)
      })
    })
  }
}

/** Prices in which flex does not lower cache reads, as at Google. */
const RATES: PriceSettings = {
  input: "1",
  cached_input: "0.1",
  output: "2",
  tiers: [{ above: 90, input: "2", cached_input: "0.2", output: "3" }],
  modes: {
    flex: {
      input: "0.5",
      cached_input: "0.1",
      output: "1",
      tiers: [{ above: 90, input: "1", cached_input: "0.2", output: "1.5" }],
    },
    priority: { input: "1.8", cached_input: "0.15", output: "3.6" },
    ultrafast: { input: "0.5", output: "8" },
  },
}
const MIXED: PriceSettings = {
  input: "1",
  output: "2",
  modes: { flex: { input: "0.5", output: "1" }, ultrafast: { input: "0.5", output: "8" } },
}
/** Prices that are lower for longer inputs. */
const FALLING: PriceSettings = {
  input: "2",
  output: "200",
  tiers: [{ above: 90, input: "1", output: "5" }],
}
const FALLING_MODE: PriceSettings = {
  input: "1",
  output: "20",
  modes: {
    // Up to 90 tokens, output costs 4.5 times the standard price. The input of the highest tier also costs 4.5 times
    // the standard price.
    priority: {
      input: "0.5",
      tiers: [
        { above: 90, input: "0.5", output: "30" },
        { above: 10_000, input: "4.5" },
      ],
    },
  },
}
/** Charges of requests with 10 cached input tokens and 10 output tokens. */
const CHARGES: readonly (readonly [tier: string, inputTokens: number, charge: bigint])[] = [
  ["default", 20, 31_000n],
  ["default", 100, 212_000n],
  ["flex", 20, 16_000n],
  ["flex", 100, 107_000n],
  // Tiers and classes that the mode does not contain use the mode's highest factor.
  ["priority", 20, 55_500n],
  ["priority", 100, 381_600n],
  ["ultrafast", 20, 89_000n],
  ["ultrafast", 100, 848_000n],
]

test.each(CHARGES)(
  "a request to %s with %d input tokens is charged the price of each class, and the hold covers the charge",
  async (tier, tokens, charge) => {
    const usage = {
      prompt_tokens: tokens,
      completion_tokens: 10,
      total_tokens: tokens + 10,
      prompt_tokens_details: { cached_tokens: 10 },
    }
    answer = completion({ service_tier: tier }, usage) as JsonObject
    for (const stream of [false, true]) {
      for (const named of [tier, undefined]) {
        const caller = await gateway.caller("10")
        const body = { model: "chat/rated", messages: PROMPT, service_tier: named, stream }
        const posted = await caller.post(CHAT, body)
        expect(posted.status, await posted.text()).toBe(200)
        const receipt = await receiptOf(caller, posted)
        expect([named, stream, nanocredits(receipt.cost)]).toEqual([named, stream, charge])
        if (named !== undefined) {
          expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(charge)
        }
        const { modes } = receipt as { readonly modes?: readonly string[] }
        expect(modes).toEqual(tier === "default" ? undefined : [tier])
      }
    }
  },
)

test.each([
  ["chat/falling", undefined, 10_040_000n],
  ["chat/falling-mode", "priority", 4_510_000n],
])(
  "the hold covers shorter inputs if they have a higher price: %s",
  async (model, service_tier, charge) => {
    const usage = { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 }
    answer = completion(service_tier ? { service_tier } : {}, usage) as JsonObject
    for (const stream of [false, true]) {
      const caller = await gateway.caller("10")
      const posted = await caller.post(CHAT, { model, messages: PROMPT, service_tier, stream })
      expect(posted.status, await posted.text()).toBe(200)
      const { cost, hold } = await receiptOf(caller, posted)
      expect(nanocredits(cost)).toBe(charge)
      expect(nanocredits(hold)).toBeGreaterThanOrEqual(charge)
    }
  },
)

test("the hold uses the highest price of each class if a mode has both lower and higher prices", async () => {
  const caller = await gateway.caller("10")
  const estimate = async (service_tier?: string) => {
    const body = { model: "chat/mixed", messages: HELLO, max_tokens: 1, service_tier }
    const asked = await caller.post("/v1/estimate", { path: CHAT, body })
    return (await asked.json()) as { readonly most: string; readonly least: string }
  }
  const [usual, mixed, flex] = [
    await estimate(),
    await estimate("ultrafast"),
    await estimate("flex"),
  ]
  expect(Number(mixed.most)).toBeGreaterThanOrEqual(Number(usual.most))
  expect(Number(flex.most)).toBeGreaterThanOrEqual(Number(usual.most))
  expect(Number(flex.least)).toBeLessThanOrEqual(Number(usual.least))
})

test("a reported service tier without a price is charged like the requested tier, and reported once", async () => {
  const alarms = () => gateway.heard.filter(({ name }) => name === "usageUncharged")
  const reported: [string, string | undefined, string, bigint][] = [
    ["chat/m", undefined, "hyper", STANDARD],
    ["chat/m", "priority", "hyper", STANDARD * 2n],
    ["plain/m", undefined, "priority", STANDARD],
    ["plain/m", undefined, "default", STANDARD],
    ["plain/m", undefined, "scale", STANDARD],
  ]
  for (const [model, tier, name, price] of reported) {
    answer = completion({ service_tier: name }) as JsonObject
    for (const stream of [false, true]) {
      const caller = await gateway.caller("10")
      const service_tier = tier
      const posted = await caller.post(CHAT, { model, messages: HELLO, stream, service_tier })
      expect(posted.status, await posted.text()).toBe(200)
      const { cost, unpriced } = await receiptOf(caller, posted)
      expect(nanocredits(cost)).toBe(price)
      const isStandard = ["default", "scale"].includes(name)
      expect(unpriced).toEqual(isStandard ? undefined : [`service_tier: ${name}`])
    }
  }
  const seen = alarms().map(({ facts }) => facts.slice(1))
  expect(seen.filter(([, name]) => name !== "service_tier: unheard_of")).toEqual([
    ["chat/m", "service_tier: hyper"],
    ["plain/m", "service_tier: priority"],
  ])
})

test.each([undefined, "priority"])(
  "a reported service tier is stored as at most 64 printable characters, requested: %p",
  async (service_tier) => {
    const name = "b".repeat(60)
    answer = completion({ service_tier: `a\0\ud83d${name}${"c".repeat(100_000)}` }) as JsonObject
    const caller = await gateway.caller("10")
    const posted = await caller.post(CHAT, { model: "chat/m", messages: HELLO, service_tier })
    expect(posted.status, await posted.text()).toBe(200)
    const receipt = await receiptOf(caller, posted)
    expect(receipt.unpriced).toEqual([`service_tier: a${name}c`])
    expect(JSON.stringify(receipt).length).toBeLessThan(2_000)
  },
)
