import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { helloUntil, type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO } from "../support.ts"

let vendor: ScriptedVendor
let gateway: TestGateway
/** Resolving it lets the vendor end its streams. */
const end = Promise.withResolvers<void>()

beforeAll(async () => {
  vendor = startVendor(() => helloUntil(end.promise))
  gateway = await startGateway({
    providers: { slow: provider(vendor.url) },
    models: {
      "sim/fault-500": simulated(),
      "slow/echo": simulated({ deployments: [{ provider: "slow", model: "echo", weight: 1 }] }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const chat = (caller: TestCaller, body: object = {}) =>
  caller.post(CHAT, { model: "sim/echo", messages: HELLO, ...body })

describe("the limit of requests per minute", () => {
  test("appears in the headers of every response", async () => {
    const caller = await gateway.caller("1", { requestsPerMinute: 60 })
    for (const stream of [false, true]) {
      const response = await chat(caller, { stream })
      expect(response.status).toBe(200)
      expect(response.headers.get("x-ratelimit-limit-requests")).toBe("60")
      expect(Number(response.headers.get("x-ratelimit-remaining-requests"))).toBeGreaterThan(50)
      expect(response.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+(\.\d+)?m?s$/)
      expect(response.headers.get("x-ratelimit-limit-tokens")).toBeNull()
      await response.text()
    }
  })

  test("causes status 429 with a retry time, and a rejected request does not count", async () => {
    const caller = await gateway.caller("1", { requestsPerMinute: 2 })
    await (await chat(caller)).text()
    await (await chat(caller)).text()
    const before = await caller.balance()
    const asked = gateway.simulator.requests.length
    const waits: number[] = []
    for (let count = 0; count < 5; count++) {
      const response = await chat(caller)
      expect(response.headers.get("x-should-retry")).toBe("true")
      expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("0")
      waits.push(Number(response.headers.get("retry-after")))
      expect(await errorOf(response)).toMatchObject({
        status: 429,
        type: "requests",
        code: "rate_limit_exceeded",
        error_type: "request_rate_exceeded",
      })
    }
    // The wait is half a minute for each request. A rejection does not lengthen it.
    for (const wait of waits) expect(wait).toBeWithin(25, 31)
    expect(gateway.simulator.requests.length).toBe(asked)
    expect(await caller.balance()).toBe(before)
  })
})

const remaining = (response: Response) =>
  Number(response.headers.get("x-ratelimit-remaining-tokens"))

describe("the limit of tokens per minute", () => {
  test("counts the actual usage after the response is complete", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 10_000 })
    const messages = [{ role: "user", content: "/tokens 900" }]
    const first = await chat(caller, { messages })
    expect(first.headers.get("x-ratelimit-limit-tokens")).toBe("10000")
    const before = remaining(first)
    // The simulated models write at most a thousand tokens, which are reserved.
    expect(before).toBeWithin(8_900, 9_000)
    await first.text()
    const second = await chat(caller, { messages })
    // The response was nine hundred tokens long, longer than the gateway's estimate.
    expect(before - remaining(second)).toBeWithin(800, 1_000)
  })

  test("returns the reserved tokens if nothing was delivered", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 10_000 })
    const messages = [{ role: "user", content: "words ".repeat(3_500) }]
    const failed = await chat(caller, { model: "sim/fault-500", messages })
    expect(failed.status).toBe(502)
    expect(remaining(await chat(caller, { max_tokens: 10 }))).toBeGreaterThan(9_800)
  })

  test("reserves the maximum output of each choice until the response is complete", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 10_000 })
    const one = await chat(caller, { max_tokens: 600 })
    expect(remaining(one)).toBeWithin(9_300, 9_400)
    await one.text()
    const three = await chat(caller, { max_tokens: 600, n: 3 })
    expect(remaining(three)).toBeWithin(8_050, 8_200)
    await three.text()
    expect(remaining(await chat(caller, { max_tokens: 10 }))).toBeGreaterThan(9_700)
  })

  test("rejects a simultaneous request whose maximum output does not fit", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 1_500 })
    const body = { model: "slow/echo", stream: true, max_tokens: 800 }
    const running = await chat(caller, body)
    expect(running.status).toBe(200)
    expect(await errorOf(await chat(caller, body))).toMatchObject({
      status: 429,
      error_type: "token_rate_exceeded",
    })
    end.resolve()
    await running.text()
    expect((await chat(caller, body)).status).toBe(200)
  })

  test("admits a request whose maximum output exceeds the limit if no other request is running", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 500 })
    await (await chat(caller, { max_tokens: 900 })).text()
    const next = await chat(caller, { max_tokens: 10 })
    expect(next.status).toBe(200)
    expect(remaining(next)).toBeGreaterThan(350)
  })

  test("returns the reserved tokens if the credits are insufficient", async () => {
    const caller = await gateway.caller("0", { tokensPerMinute: 10_000 })
    const messages = [{ role: "user", content: "words ".repeat(3_500) }]
    for (let count = 0; count < 5; count++) {
      expect((await chat(caller, { messages })).status).toBe(402)
    }
  })

  test("causes status 429 with its own error type", async () => {
    const caller = await gateway.caller("1", { tokensPerMinute: 1_000 })
    const messages = [{ role: "user", content: "/tokens 990" }]
    await (await chat(caller, { messages })).text()
    const response = await chat(caller)
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    expect(response.headers.get("x-should-retry")).toBe("true")
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      type: "tokens",
      code: "rate_limit_exceeded",
      error_type: "token_rate_exceeded",
    })
  })

  test("counts the tokens of each key separately", async () => {
    const [left, right] = await Promise.all([
      gateway.caller("1", { requestsPerMinute: 1 }),
      gateway.caller("1", { requestsPerMinute: 1 }),
    ])
    expect((await chat(left)).status).toBe(200)
    expect((await chat(left)).status).toBe(429)
    expect((await chat(right)).status).toBe(200)
  })
})
