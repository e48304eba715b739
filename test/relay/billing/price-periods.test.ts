import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { provider, simulated, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { startManaged } from "../../http/admin/support.ts"
import { helloUntil, startVendor, wholeResponse, type ScriptedVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, nothingHeld, receiptOf, receiptsOf } from "../support.ts"

/**
 * The usual cost in nanocredits of ten input tokens and one output token, at 1 and 2 credits per million, and the cost
 * at twice these prices.
 */
const USUAL = 12_000n
const PEAK = 24_000n
const PEAK_PERIOD = {
  name: "peak",
  from: "2026-12-01T09:00:00.000Z",
  until: "2026-12-01T10:00:00.000Z",
}

let gateway: TestGateway
let vendor: ScriptedVendor
/** Resolving it ends the response of the next request that asks to wait. */
let gate = Promise.withResolvers<void>()
const realNow = Date.now

/** Sets the clock. It continues to run from that time. */
function setClock(text: string): void {
  const distance = Date.parse(text) - realNow()
  Date.now = () => realNow() + distance
}

beforeAll(async () => {
  vendor = startVendor((_request, number) => {
    const body = JSON.stringify(vendor.bodies[number - 1])
    if (body.includes("wait")) return helloUntil(gate.promise)
    return Response.json(wholeResponse())
  })
  setClock("2026-12-01T08:00:00Z")
  const peak = { name: "peak", hours: ["09:00-10:00"], input: "2", cached_input: "1", output: "4" }
  gateway = await startManaged({
    providers: { scripted: provider(vendor.url) },
    models: {
      "scripted/timed": simulated({
        price: { input: "1", cached_input: "0.5", output: "2", periods: [peak] },
      }),
    },
  })
})

afterEach(() => {
  gate.resolve()
  gate = Promise.withResolvers()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
  Date.now = realNow
})

const chat = (caller: TestCaller, more: object = {}) =>
  caller.post(CHAT, { model: "scripted/timed", messages: HELLO, max_tokens: 20, ...more })
const stream = (caller: TestCaller) =>
  chat(caller, { stream: true, messages: [{ role: "user", content: "wait" }] })

async function charged(caller: TestCaller, response: Response) {
  expect(response.status).toBe(200)
  await response.text()
  const { cost, price, hold } = await receiptOf(caller, response)
  return { cost: nanocredits(cost), hold: nanocredits(hold), period: price?.period }
}

test("a request is charged at the price when it was admitted, even if the price changes while it runs", async () => {
  setClock("2026-12-01T08:59:00Z")
  const caller = await gateway.caller("1")
  const before = await charged(caller, await chat(caller))
  expect(before).toMatchObject({ cost: USUAL, period: undefined })

  // The request begins before the peak period and ends in it.
  const cheap = await stream(caller)
  setClock("2026-12-01T09:00:00Z")
  const dear = await chat(caller)
  gate.resolve()
  expect(await charged(caller, cheap)).toMatchObject({ cost: USUAL, period: undefined })
  const inPeak = await charged(caller, dear)
  expect(inPeak).toEqual({ cost: PEAK, hold: 2n * before.hold, period: PEAK_PERIOD })

  // The request begins in the peak period and ends after it.
  setClock("2026-12-01T09:59:30Z")
  gate = Promise.withResolvers()
  const late = await stream(caller)
  setClock("2026-12-01T10:00:00Z")
  const after = await chat(caller)
  gate.resolve()
  expect(await charged(caller, late)).toMatchObject({ cost: PEAK, period: PEAK_PERIOD })
  expect(await charged(caller, after)).toMatchObject({ cost: USUAL, period: undefined })

  await nothingHeld(caller)
  const costs = receiptsOf(gateway, caller).map(({ cost }) => nanocredits(cost))
  expect(costs.toSorted()).toEqual([USUAL, USUAL, USUAL, PEAK, PEAK])
  expect(await caller.balance()).toBe(1_000_000_000n - 3n * USUAL - 2n * PEAK)
})

test("the model list and estimates use the current price", async () => {
  const caller = await gateway.caller("1")
  const shown = async () => {
    const { data } = (await (await caller.get("/v1/models")).json()) as {
      data: { pricing: { input: string } }[]
    }
    const body = { model: "scripted/timed", messages: HELLO, max_tokens: 20 }
    const estimate = await caller.post("/v1/estimate", { path: CHAT, body })
    const { most } = (await estimate.json()) as { most: string }
    return { input: data[0]?.pricing.input, most: nanocredits(most) }
  }
  setClock("2026-12-01T08:59:59Z")
  const before = await shown()
  setClock("2026-12-01T09:00:00Z")
  const during = await shown()
  expect([before.input, during.input]).toEqual(["1", "2"])
  expect(during.most).toBe(2n * before.most)
})
