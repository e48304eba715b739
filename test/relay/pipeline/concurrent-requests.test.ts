import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { helloUntil, type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO } from "../support.ts"

/** An address at which no server listens. */
const REJECTING_URL = "http://127.0.0.1:1/v1"

let vendor: ScriptedVendor
let gateway: TestGateway
/** Resolving it lets the vendor end its streams. */
let end: PromiseWithResolvers<void>

beforeAll(async () => {
  vendor = startVendor(() => helloUntil(end.promise))
  gateway = await startGateway({
    providers: { failing: provider(REJECTING_URL), slow: provider(vendor.url) },
    models: {
      "sim/slow": simulated({
        deployments: [
          { provider: "failing", model: "echo", weight: 1 },
          { provider: "slow", model: "echo", weight: 0 },
        ],
      }),
    },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})
beforeEach(() => {
  end = Promise.withResolvers()
})

/**
 * Each request fails at one deployment and is then streamed by another. Both attempts together count as one request.
 */
const slow = (caller: TestCaller) =>
  caller.post(CHAT, { model: "sim/slow", messages: HELLO, stream: true })
const quick = (caller: TestCaller) => caller.post(CHAT, { model: "sim/echo", messages: HELLO })
const canRun = async (caller: TestCaller) => (await quick(caller)).ok

test("a stream counts as a concurrent request until its last byte", async () => {
  const caller = await gateway.caller("1", { concurrentRequests: 2 })
  const first = await slow(caller)
  const second = await slow(caller)
  expect([first.status, second.status]).toEqual([200, 200])
  const rejected = await quick(caller)
  expect(rejected.headers.get("retry-after")).toBe("1")
  expect(rejected.headers.get("x-should-retry")).toBe("true")
  expect(await errorOf(rejected)).toMatchObject({
    status: 429,
    code: "rate_limit_exceeded",
    error_type: "concurrent_requests_exceeded",
  })
  // Requests that call no model are not counted.
  expect((await caller.get("/v1/credits")).status).toBe(200)
  end.resolve()
  for (const response of [first, second]) expect(await response.text()).toContain("[DONE]")
  for (let count = 0; count < 5; count++) expect(await canRun(caller)).toBe(true)
})

test("a caller that disconnects releases its slot for concurrent requests", async () => {
  const caller = await gateway.caller("1", { concurrentRequests: 1 })
  const response = await slow(caller)
  expect(await canRun(caller)).toBe(false)
  await response.body?.cancel()
  await until(() => canRun(caller))
  end.resolve()
})

test("failed and rejected requests do not count toward the concurrency limit or the rate limits of the key", async () => {
  const caller = await gateway.caller("1", { concurrentRequests: 1, requestsPerMinute: 4 })
  const wrong = await caller.post(CHAT, { model: "sim/echo", messages: HELLO, n: "many" })
  expect(wrong.status).toBe(400)
  const response = await slow(caller)
  for (let count = 0; count < 5; count++) {
    expect(await errorOf(await quick(caller))).toMatchObject({
      error_type: "concurrent_requests_exceeded",
    })
  }
  end.resolve()
  await response.text()
  for (let count = 0; count < 3; count++) expect(await canRun(caller)).toBe(true)
  expect(await errorOf(await quick(caller))).toMatchObject({ error_type: "request_rate_exceeded" })
})

test("exactly the allowed number of concurrent requests are accepted", async () => {
  const caller = await gateway.caller("1", { concurrentRequests: 7 })
  const sent = Array.from({ length: 30 }, () => slow(caller))
  const responses = await Promise.all(sent)
  expect(responses.filter(({ ok }) => ok)).toHaveLength(7)
  end.resolve()
  await Promise.all(responses.map((response) => response.text()))
  expect(await canRun(caller)).toBe(true)
})
