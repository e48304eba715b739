import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  SHORT_TIMEOUTS,
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { pngOf } from "../image.ts"
import { CHAT, creditsOf, errorOf, HELLO, nanocredits, nothingHeld, receiptOf } from "../support.ts"
import { until } from "../../support/until.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    providers: {},
    settings: { timeouts: SHORT_TIMEOUTS },
    models: {
      "sim/fault-slow-headers": simulated(),
      "sim/responses": simulated({ dialects: ["openai-responses"] }),
    },
  })
  const { settings } = gateway
  await gateway.app.apply({
    ...settings,
    providers: {
      ...settings.providers,
      openai: provider(`${gateway.simulator.url}/v1`, "openai"),
      vllm: provider(`${gateway.simulator.url}/v1`, "vllm"),
    },
    models: {
      ...settings.models,
      "openai/echo": simulated(),
      "vllm/echo": simulated(),
      "openai/gpt-4o": VISION,
    },
  })
})

/** The simulator has no model of this name, so the request asks for `echo`. */
const VISION = simulated({ deployments: [{ provider: "openai", model: "echo", weight: 1 }] })

afterAll(() => gateway[Symbol.asyncDispose]())

const chat = (caller: TestCaller, body: object, headers: Record<string, string> = {}) =>
  caller.post(CHAT, { model: "sim/echo", messages: HELLO, ...body }, headers)

/** Returns the last request that the simulator received. */
function asked(): Record<string, unknown> {
  return gateway.simulator.requests.at(-1)?.body as Record<string, unknown>
}

describe("an account without enough credits", () => {
  test("gets 402 with the balance and the required amount", async () => {
    const caller = await gateway.caller("0")
    const before = gateway.simulator.requests.length
    const response = await chat(caller, { max_tokens: 10 })
    expect(response.headers.get("x-should-retry")).toBe("false")
    const error = await errorOf(response)
    expect(error).toMatchObject({
      status: 402,
      type: "insufficient_quota",
      code: "insufficient_credits",
      balance: "0",
    })
    // The amount covers eight tokens of text with their margin, and ten tokens of output at most.
    expect(nanocredits(error.required ?? "0")).toBeGreaterThan(20_000n)
    expect(nanocredits(error.required ?? "0")).toBeLessThan(100_000n)
    expect(gateway.simulator.requests.length).toBe(before)
    await nothingHeld(caller)
  })

  test("gets 402 if the key's budget is used up", async () => {
    const caller = await gateway.caller("10", { budget: 1n })
    const error = await errorOf(await chat(caller, { max_tokens: 10 }))
    expect(error).toMatchObject({
      status: 402,
      type: "insufficient_quota",
      code: "key_budget_exceeded",
      balance: "0.000000001",
    })
  })
})

describe("credits for the input and a part of the output", () => {
  // The credits are enough for 100 input tokens and 100 output tokens, but not for the model's maximum of a thousand.
  const CREDITS = "0.0003"

  const FIELDS: readonly [string, object, string][] = [
    ["sim/echo", {}, "max_tokens"],
    ["sim/echo", { max_tokens: 900 }, "max_tokens"],
    ["openai/echo", {}, "max_completion_tokens"],
    ["openai/echo", { max_tokens: 900 }, "max_tokens"],
    ["openai/echo", { max_completion_tokens: 900 }, "max_completion_tokens"],
  ]
  for (const [model, options, field] of FIELDS) {
    test(`shorten the response by setting ${field}: ${model} ${JSON.stringify(options)}`, async () => {
      const caller = await gateway.caller(CREDITS)
      const messages = [{ role: "user", content: "/tokens 900" }]
      const response = await chat(caller, { model, messages, ...options })
      expect(response.status).toBe(200)
      const clamped = Number(response.headers.get("x-tollgate-max-tokens"))
      expect(clamped).toBeGreaterThan(100)
      expect(clamped).toBeLessThan(150)
      expect(asked()[field]).toBe(clamped)
      const limits = ["max_tokens", "max_completion_tokens"].filter((name) => name in asked())
      expect(limits).toEqual([field])
      const answer = (await response.json()) as { choices: { finish_reason: string }[] }
      expect(answer.choices[0]?.finish_reason).toBe("length")
      const receipt = await receiptOf(caller, response)
      expect(receipt.usage?.["output"]).toBe(clamped)
      expect(nanocredits(receipt.hold)).toBeLessThanOrEqual(300_000n)
      expect(await caller.balance()).toBe(300_000n - nanocredits(receipt.cost))
    })
  }

  // Vendors of the Responses API reject limits below 16, and bill the output up to the limit.
  for (const body of [{}, { max_tokens: 900 }, { max_tokens: 12 }]) {
    test(`cause a hold of at least the amount that the vendor may bill: ${JSON.stringify(body)}`, async () => {
      const messages = [{ role: "user", content: "/tokens 900" }]
      const order = { model: "sim/responses", messages, ...body }
      const rejected = await gateway.caller("0.00005")
      const before = gateway.simulator.requests.length
      expect(await errorOf(await chat(rejected, order))).toMatchObject({
        status: 402,
        code: "insufficient_credits",
      })
      expect(gateway.simulator.requests.length).toBe(before)
      const served = await gateway.caller("0.00009")
      const response = await chat(served, order)
      expect(response.status).toBe(200)
      await response.text()
      const receipt = await receiptOf(served, response)
      expect(asked()["max_output_tokens"]).toBeGreaterThanOrEqual(16)
      expect(nanocredits(receipt.cost)).toBeLessThanOrEqual(nanocredits(receipt.hold))
    })
  }

  test("give each of n choices an equal share", async () => {
    const caller = await gateway.caller(CREDITS)
    const messages = [{ role: "user", content: "/tokens 900" }]
    const response = await chat(caller, { model: "vllm/echo", messages, n: 4, stream: true })
    const clamped = Number(response.headers.get("x-tollgate-max-tokens"))
    expect(clamped).toBeGreaterThan(25)
    expect(clamped).toBeLessThan(40)
    expect(await response.text()).toEndWith("data: [DONE]\n\n")
    expect((await receiptOf(caller, response)).usage?.["output"]).toBe(4 * clamped)
  })

  test("cause status 402 if the caller rejects shortened responses", async () => {
    const caller = await gateway.caller(CREDITS)
    const response = await chat(caller, {}, { "x-tollgate-on-low-balance": "refuse" })
    expect(await errorOf(response)).toMatchObject({ status: 402, code: "insufficient_credits" })
    const fits = { "x-tollgate-on-low-balance": "refuse" }
    expect((await chat(caller, { max_tokens: 50 }, fits)).status).toBe(200)
  })

  test("cause an error if the header that rejects shortened responses has an unknown option", async () => {
    const caller = await gateway.caller(CREDITS)
    const response = await chat(caller, {}, { "x-tollgate-on-low-balance": "maybe" })
    expect(await errorOf(response)).toMatchObject({ status: 400, code: "invalid_value" })
  })

  test("can be the remaining budget of a key", async () => {
    const caller = await gateway.caller("10", { budget: 300_000n })
    const response = await chat(caller, { messages: [{ role: "user", content: "/tokens 900" }] })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get("x-tollgate-max-tokens"))).toBeGreaterThan(100)
    await response.text()
  })
})

describe("the hold and the output limit", () => {
  test("depend on the number of tokens in a prompt, not on its bytes", async () => {
    // 12,000 bytes are 2,000 tokens. With their margin, 2,800 input tokens and 10 output tokens are held.
    const messages = [{ role: "user", content: "hello ".repeat(2_000) }]
    const caller = await gateway.caller("0.004")
    const response = await chat(caller, { messages, max_tokens: 10 })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-max-tokens")).toBeNull()
    expect(asked()["max_tokens"]).toBe(10)
    await response.text()
  })

  test("depend on the size of an image, not on its bytes", async () => {
    const url = `data:image/png;base64,${pngOf(512, 512, 300_000).toBase64()}`
    const content = [{ type: "image_url", image_url: { url } }]
    // OpenAI's rule for gpt-4o is a base of 85 tokens and 170 tokens for each of four tiles.
    const caller = await gateway.caller("0.002")
    const messages = [{ role: "user", content }]
    const response = await chat(caller, { model: "openai/gpt-4o", messages, max_tokens: 10 })
    expect(response.status).toBe(200)
    await response.text()
    const hold = nanocredits((await receiptOf(caller, response)).hold)
    expect(hold).toBeGreaterThan(765n * 1_000n)
    expect(hold).toBeLessThan(1_200n * 1_000n)
  })

  test("cover all requested choices", async () => {
    const caller = await gateway.caller("10")
    const holds: bigint[] = []
    for (const n of [1, 3]) {
      const response = await chat(caller, { model: "vllm/echo", n, max_tokens: 100 })
      await response.text()
      holds.push(nanocredits((await receiptOf(caller, response)).hold))
    }
    expect((holds[1] ?? 0n) - (holds[0] ?? 0n)).toBeGreaterThanOrEqual(2n * 100n * 2_000n)
    expect((holds[1] ?? 0n) - (holds[0] ?? 0n)).toBeLessThan(2n * 100n * 2_000n + 10_000n)
  })
})

test("a request waits for credits that the caller's other requests hold, and keeps its output limit", async () => {
  const caller = await gateway.caller("0.003")
  const controller = new AbortController()
  const running = fetch(gateway.url + CHAT, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sim/fault-slow-headers", messages: HELLO }),
    signal: controller.signal,
  })
  running.catch(() => {})
  await until(async () => (await creditsOf(caller)).held !== "0")
  const response = await chat(caller, {})
  expect(response.headers.get("retry-after")).toBe("1")
  expect(response.headers.get("x-should-retry")).toBe("true")
  expect(await errorOf(response)).toMatchObject({
    status: 429,
    type: "rate_limit_exceeded",
    code: "credits_reserved",
    balance: "0.003",
  })
  controller.abort()
  await nothingHeld(caller)
  const again = await chat(caller, {})
  expect(again.status).toBe(200)
  expect(again.headers.get("x-tollgate-max-tokens")).toBeNull()
})
