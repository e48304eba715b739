import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ProviderSettings, ServicePriceSettings } from "../../../src/config/settings.ts"
import { sampleOf } from "../../support/exhaustive.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import type { BillableCase } from "./billable-case.ts"
import { CASES } from "./billable-cases.ts"
import { respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { creditsOf, errorOf, HELLO, nanocredits, type Receipt, receiptOf } from "../support.ts"

let gateway: TestGateway
let passing: TestGateway
let vendor: ScriptedVendor
let current: BillableCase

const MODEL = simulated({ context: 1_000_000, maxOutput: 50 })

beforeAll(async () => {
  vendor = startVendor((_, number) =>
    respond(current.path, vendor.bodies[number - 1], current.response),
  )
  const providers: Record<string, ProviderSettings> = {}
  for (const [index, { vendor: id, path, prices }] of CASES.entries()) {
    const bare = { ...provider(vendor.url, id), ...dialectsFor(id, path) }
    providers[`bare-${index}`] = bare
    providers[`priced-${index}`] = { ...bare, prices: (prices ?? {}) as ServicePriceSettings }
  }
  const models = Object.fromEntries(
    Object.keys(providers).map((id) => [
      `${id}/m`,
      { ...MODEL, deployments: [{ provider: id, model: "up", weight: 1 }] },
    ]),
  )
  // The vector store that is searched has no owner.
  const settings = { vendorState: "any" } as const
  gateway = await startGateway({ providers, models, settings })
  const passingSettings = { ...settings, unpricedFeatures: "allow" } as const
  passing = await startGateway({ providers, models, settings: passingSettings })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await passing[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Unknown servers support the dialects in their settings. Other servers support the dialect of the request. */
function dialectsFor(id: string, path: string): { dialects?: string[] } {
  if (id === "openai-compatible") return { dialects: ["anthropic-messages"] }
  if (id !== "azure") return {}
  return { dialects: [path.endsWith("/responses") ? "openai-responses" : "openai-chat"] }
}

function bodyOf({ path, body }: BillableCase, model: string, stream: boolean): object {
  const said = path.endsWith("/responses") ? { input: "Hello there" } : { messages: HELLO }
  const limit = path.endsWith("/responses") ? { max_output_tokens: 50 } : { max_tokens: 50 }
  return { model, ...said, ...limit, ...body, ...(stream ? { stream: true } : {}) }
}

async function ask(
  caller: TestCaller,
  model: string,
  stream: boolean,
): Promise<{ receipt: Receipt; text: string }> {
  const response = await caller.post(current.path, bodyOf(current, model, stream))
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return { receipt: await receiptOf(caller, response), text }
}

interface Estimated {
  readonly least: string
  readonly most: string
  readonly parts: readonly { readonly lines: readonly { readonly name: string }[] }[]
}

async function estimate(caller: TestCaller, body: object): Promise<Estimated> {
  const response = await caller.post("/v1/estimate", { path: current.path, body })
  expect(response.status).toBe(200)
  return (await response.json()) as Estimated
}

/** Vendors whose known prices apply to providers without a price of their own. */
const VENDORS_WITH_KNOWN_PRICES: ReadonlySet<string> = new Set(["openrouter", "xai"])
/** Cost in nanocredits of 100 input tokens and 10 output tokens. */
const TOKENS_COST = 120_000n

describe("a priced field", () => {
  for (const [index, one] of CASES.entries()) {
    const isTool = one.place.startsWith("tools[")
    test(`causes an error if it has no price, and nothing is held or sent: ${one.name}`, async () => {
      if (VENDORS_WITH_KNOWN_PRICES.has(one.vendor) && one.prices) return
      // For other callers, the tool is omitted.
      const headers: Record<string, string> = isTool ? { "x-tollgate-strict": "true" } : {}
      current = one
      const caller = await gateway.caller("10")
      const sent = vendor.bodies.length
      for (const stream of [false, true]) {
        const response = await caller.post(
          one.path,
          bodyOf(one, `bare-${index}/m`, stream),
          headers,
        )
        const error = await errorOf(response)
        expect(error.status).toBe(400)
        if (!one.path.endsWith("/messages")) expect(error.code).toBe("feature_not_priced")
        expect(error.message).toContain(`\`${one.place}\``)
      }
      expect(vendor.bodies.length).toBe(sent)
      expect(await creditsOf(caller)).toMatchObject({ balance: "10", held: "0" })
    })

    // A tool within a namespace cannot be removed.
    const isNested = one.place.includes("].tools[")
    if (isTool && !isNested && one.vendor !== "openrouter") {
      test(`does not reach the vendor if it has no price, and the loss is reported: ${one.name}`, async () => {
        current = one
        const caller = await gateway.caller("10")
        const response = await caller.post(one.path, bodyOf(one, `bare-${index}/m`, false))
        expect([response.status, response.headers.get("x-tollgate-losses")]).toEqual([
          200,
          "tools:dropped",
        ])
        const { tools: sent } = vendor.bodies.at(-1) as { readonly tools: readonly object[] }
        expect(sent).toEqual((one.body["tools"] as readonly object[]).slice(0, 1))
        expect(nanocredits((await receiptOf(caller, response)).cost)).toBe(TOKENS_COST)
      })
    }

    if (one.prices) {
      for (const stream of sampleOf([false, true], 2, index)) {
        test(`counts toward the hold, the usage and the charge: ${one.name}, ${stream ? "streamed" : "whole"}`, async () => {
          current = one
          const caller = await gateway.caller("10")
          const told = await estimate(caller, bodyOf(one, `priced-${index}/m`, stream))
          const { receipt } = await ask(caller, `priced-${index}/m`, stream)
          expect(receipt.hold).toBe(told.most)
          expect(nanocredits(told.least)).toBeLessThanOrEqual(one.cost)
          expect(nanocredits(told.most)).toBeGreaterThanOrEqual(one.cost)
          expect(told.parts[0]?.lines.map(({ name }) => name)).not.toContain("other")
          expect(vendor.bodies.at(-1)).toMatchObject(one.body)
          expect(receipt.usage).toEqual({ input: 100, output: 10, ...one.counted })
          expect(nanocredits(receipt.cost)).toBe(one.cost)
          expect(nanocredits(receipt.hold)).toBeGreaterThan(one.held ?? 0n)
          expect(await caller.balance()).toBe(10_000_000_000n - one.cost)
        })
      }
    }

    test(`reaches the vendor, with an alarm, if the operator allows it: ${one.name}`, async () => {
      if (VENDORS_WITH_KNOWN_PRICES.has(one.vendor) && one.prices) return
      current = one
      const caller = await passing.caller("10")
      const { receipt } = await ask(caller, `bare-${index}/m`, false)
      expect(receipt).toMatchObject({
        status: "settled",
        unpriced: expect.arrayContaining([one.place]),
      })
      const alarms = passing.heard.filter(({ name }) => name === "unpricedFeatureAllowed")
      expect(alarms.at(-1)?.facts[2]).toContain(one.place)
    })
  }
})

describe("fields without a price", () => {
  test("reach the vendor unchanged if they are unknown", async () => {
    current = CASES.find(({ name }) => name.startsWith("chat: web_search_options")) ?? current
    const caller = await gateway.caller("10")
    const unknown = { teleport: { to: "moon" }, prompt_cache_retention: "24h", store: true }
    const body = { model: "bare-0/m", input: "Hi", ...unknown, max_output_tokens: 50 }
    current = { ...current, path: "/v1/responses", response: CASES[0]?.response ?? {} }
    const response = await caller.post("/v1/responses", body)
    expect(response.status).toBe(200)
    expect(vendor.bodies.at(-1)).toMatchObject(unknown)
  })

  test("cost nothing if they have their default value", async () => {
    const one = CASES.find(({ name }) => name.includes("/chat/completions: service_tier priority"))
    if (!one) throw new Error("no such case")
    current = { ...one, body: { service_tier: "default", web_search_options: null, tools: [] } }
    const caller = await gateway.caller("10")
    const { receipt } = await ask(caller, `bare-${CASES.indexOf(one)}/m`, false)
    expect(nanocredits(receipt.cost)).toBe(120_000n)
  })
})

describe("a balance that does not cover every output of a request", () => {
  test("shortens each output until it covers all of them", async () => {
    const one = CASES.find(({ name }) => name.startsWith("chat: web_search_options"))
    if (!one) throw new Error("no such case")
    // Some servers accept a number that is written as text.
    current = { ...one, body: { best_of: "5" } }
    const caller = await gateway.caller("0.0012")
    const body = { ...bodyOf(current, `priced-${CASES.indexOf(one)}/m`, false), max_tokens: 1_000 }
    const asked = await caller.post(one.path, body)
    expect(asked.status).toBe(200)
    const limit = Number(asked.headers.get("x-tollgate-max-tokens"))
    expect(limit).toBeGreaterThan(0)
    // The hold covers five outputs at 2 credits per million.
    expect(BigInt(limit) * 5n * 2_000n).toBeLessThanOrEqual(1_200_000n)
    expect(vendor.bodies.at(-1)).toMatchObject({ best_of: "5", max_tokens: limit })
  })
})
