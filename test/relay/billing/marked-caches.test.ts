import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { nanocredits, receiptOf } from "../support.ts"

/** Tokens of a prompt that was read from a cache. */
const CACHED = 1_000

let vendor: ScriptedVendor
let gateway: TestGateway
let response: JsonObject = {}

beforeAll(async () => {
  vendor = startVendor((request) =>
    respond(new URL(request.url).pathname, vendor.bodies.at(-1), response),
  )
  const price = { input: "2", cached_input: "1", output: "0" }
  const modes = { ephemeral: { input: "2", cached_input: "0.5" } }
  const own = { kind: "chat", maxOutput: 50 } as const
  gateway = await startGateway({
    providers: {
      alibaba: provider(vendor.url, "alibaba"),
      openai: provider(vendor.url, "openai"),
    },
    models: {
      "alibaba/mine": { ...own, price: { ...price, modes } },
      "alibaba/unpriced": { ...own, price },
      "openai/mine": { ...own, price: { ...price, modes } },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Returns the cost in nanocredits of a request whose whole prompt was in a cache of a type. */
async function costOf(model: string, cacheType: string | undefined, stream: boolean) {
  const details = { cached_tokens: CACHED, ...(cacheType && { cache_type: cacheType }) }
  const usage = { prompt_tokens: CACHED, completion_tokens: 1, total_tokens: CACHED + 1 }
  response = completion({ usage: { ...usage, prompt_tokens_details: details } }) as JsonObject
  const mark = { cache_control: { type: "ephemeral" } }
  const text = { type: "text", text: "x ".repeat(CACHED), ...mark }
  const caller = await gateway.caller("10")
  const posted = await caller.post("/v1/chat/completions", {
    model,
    messages: [{ role: "user", content: [text] }],
    stream,
  })
  expect(posted.status, await posted.text()).toBe(200)
  return nanocredits((await receiptOf(caller, posted)).cost)
}

const per = (rate: number) => BigInt(rate * CACHED) * 1_000n

describe.each([false, true])("a cache hit at Alibaba (streamed: %p)", (stream) => {
  test("costs the price of marked caches if the response reports a marked cache", async () => {
    expect(await costOf("alibaba/mine", "ephemeral", stream)).toBe(per(0.5))
  })

  test("costs the price of cached input if the response reports another type of cache", async () => {
    expect(await costOf("alibaba/mine", undefined, stream)).toBe(per(1))
    expect(await costOf("alibaba/mine", "implicit", stream)).toBe(per(1))
  })

  test("costs the price of cached input if the model has no price for marked caches", async () => {
    expect(await costOf("alibaba/unpriced", "ephemeral", stream)).toBe(per(1))
  })

  test("does not get the discount for marked caches at other vendors", async () => {
    expect(await costOf("openai/mine", "ephemeral", stream)).toBe(per(1))
  })
})
