import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { Meter } from "../../../src/relay/metering/meter.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { respond, textResponse } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, receiptOf } from "../support.ts"

const MESSAGES = "/v1/messages"
const LONG = [{ role: "user", content: "word ".repeat(20_000) }]
/** A price that is twice as high above 200,000 tokens. */
const TIERED = {
  price: { input: "1", output: "10", tiers: [{ above: 200_000, input: "2", output: "20" }] },
  context: 1_000_000,
  maxOutput: 1_000,
}
const SEARCHING = {
  price: { input: "1", output: "1", request: "12000", request_medium: "8000", request_low: "5000" },
}

let vendor: ScriptedVendor
let gateway: TestGateway
let usage: Record<string, unknown> = {}
/** The usage of each call of the next request. If the list is empty, `usage` applies. */
let usages: Record<string, unknown>[] = []
/** The service tiers that the calls of the next request report. */
let tiers: (string | undefined)[] = []

beforeAll(async () => {
  vendor = startVendor((request) => {
    const { pathname } = new URL(request.url)
    const tier = tiers.shift()
    const response = textResponse(pathname, "Hello", usages.shift() ?? usage)
    const tiered = { ...response, ...(tier && { service_tier: tier }) }
    return respond(pathname, vendor.bodies.at(-1), tiered)
  })
  gateway = await startGateway({
    providers: {
      anthropic: provider(vendor.url, "anthropic"),
      perplexity: provider(vendor.url, "perplexity"),
      compatible: provider(vendor.url),
    },
    models: {
      "anthropic/tiered": simulated(TIERED),
      "anthropic/with-fee": simulated({ ...TIERED, price: { ...TIERED.price, request: "5000" } }),
      "perplexity/sonar": simulated(SEARCHING),
      "compatible/priority": simulated({
        price: { input: "1", output: "1", modes: { priority: "2" } },
      }),
      "compatible/modes": simulated({
        price: {
          input: "1",
          output: "10",
          modes: { flex: "0.5", priority: "2", batch: { input: "1.5", output: "2" } },
        },
      }),
      "perplexity/premium": simulated({
        price: { input: "1", output: "1", request: "12000", search_premium: "8000" },
      }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function receiptFor(path: string, body: object) {
  const caller = await gateway.caller("100")
  const posted = await caller.post(path, { max_tokens: 100, ...body })
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  return receiptOf(caller, posted)
}

describe.each([false, true])(
  "charges for several model calls of one request, stream: %p",
  (stream) => {
    test("use the price tier of each call, and so does the hold", async () => {
      usage = { input_tokens: 60_000, output_tokens: 100 }
      const request = { model: "anthropic/tiered", messages: LONG, n: 4, stream }
      const { cost, hold } = await receiptFor(CHAT, request)
      expect(nanocredits(cost)).toBe(4n * 61_000_000n)
      expect(nanocredits(hold)).toBeGreaterThanOrEqual(nanocredits(cost))
      expect(nanocredits(hold)).toBeLessThan(2n * nanocredits(cost))
    })

    test("use different price tiers if the calls have different lengths", async () => {
      const call = { input_tokens: 350_000, output_tokens: 100 }
      usages = [call, { input_tokens: 60_000, output_tokens: 200 }, { ...call, output_tokens: 300 }]
      const long = [{ role: "user", content: "word ".repeat(80_000) }]
      const request = { model: "anthropic/tiered", messages: long, n: 3, stream }
      const { cost, usage: counted } = await receiptFor(CHAT, request)
      expect(nanocredits(cost)).toBe(2n * 700_000_000n + 400n * 20_000n + 60_000_000n + 2_000_000n)
      expect(counted).toEqual({ input: 760_000, output: 600 })
    })

    test("include the fee of each call as well as price tiers", async () => {
      const short = { input_tokens: 1_000, output_tokens: 100 }
      usages = [{ input_tokens: 210_000, output_tokens: 100 }, short, short]
      const request = { model: "anthropic/with-fee", messages: LONG, n: 3, stream }
      const { cost, usage: counted } = await receiptFor(CHAT, request)
      expect(nanocredits(cost)).toBe(420_000_000n + 2_000_000n + 2n * 2_000_000n + 3n * 5_000_000n)
      expect(counted).toEqual({ input: 212_000, output: 300, request: 3 })
    })

    test("include the iterations of one call even if the other call reports no iterations", async () => {
      const iteration = { input_tokens: 90_000, output_tokens: 100 }
      const iterations = [
        { type: "compaction", ...iteration, input_tokens: 250_000 },
        { type: "message", ...iteration },
      ]
      usages = [{ ...iteration, iterations }, iteration]
      const request = { messages: LONG, n: 2, stream, max_tokens: 500, web_search_options: {} }
      const { cost } = await receiptFor(CHAT, { ...request, model: "anthropic/tiered" })
      expect(nanocredits(cost)).toBe(502_000_000n + 2n * 91_000_000n)
    })

    test("use the price tier of each reported iteration", async () => {
      const iteration = (tokens: number) => ({ input_tokens: tokens, output_tokens: 100 })
      const iterations = [
        { type: "compaction", ...iteration(250_000) },
        { type: "message", ...iteration(90_000) },
        { type: "message", ...iteration(90_000) },
      ]
      usage = { ...iteration(180_000), iterations }
      const edits = [{ type: "compact_20260112" }]
      const { cost, usage: counted } = await receiptFor(MESSAGES, {
        model: "anthropic/tiered",
        messages: LONG,
        context_management: { edits },
        stream,
      })
      expect(nanocredits(cost)).toBe(502_000_000n + 2n * 91_000_000n)
      expect(counted).toEqual({ input: 430_000, output: 300 })
    })

    const withCompaction = { context_management: { edits: [{ type: "compact_20260112" }] } }

    test("include one fee per call if the reported calls exceed the possible number", async () => {
      const iteration = { type: "message", input_tokens: 1, output_tokens: 1 }
      usage = { ...iteration, iterations: Array.from({ length: 20_000 }, () => iteration) }
      const request = { model: "anthropic/with-fee", messages: HELLO, ...withCompaction, stream }
      const { usage: counted } = await receiptFor(MESSAGES, request)
      expect(counted?.["request"]).toBe(1)
    })

    test("use the total usage of a response if its iterations cannot be read", async () => {
      const nested = { type: "message", usage: { input_tokens: 238, output_tokens: 16 } }
      for (const iteration of [{}, nested, { type: null, input_tokens: null, output_tokens: {} }]) {
        usage = { input_tokens: 238, output_tokens: 16, iterations: [iteration] }
        const request = { model: "anthropic/tiered", messages: HELLO, ...withCompaction, stream }
        const { usage: counted } = await receiptFor(MESSAGES, request)
        expect(counted).toEqual({ input: 238, output: 16 })
      }
    })

    test.each([
      // A call that reports no tier was served in the standard tier.
      [undefined, ["flex", undefined, undefined], 60_000n],
      [undefined, [undefined, "flex", undefined], 60_000n],
      [undefined, ["flex", "hyper", "flex"], 60_000n],
      [undefined, ["flex", "flex", "flex"], 30_000n],
      [undefined, ["flex", undefined, "priority"], 120_000n],
      // A tier that has both higher and lower prices.
      [undefined, ["batch", undefined, "batch"], 60_000n],
      [undefined, ["batch", "flex", "flex"], 51_000n],
      ["batch", ["batch", "default", "batch"], 60_000n],
      ["batch", ["batch", "batch", "batch"], 51_000n],
      ["priority", ["flex", undefined, "default"], 120_000n],
      ["priority", ["flex", "default", "default"], 60_000n],
    ])(
      "use the price tier with the highest cost for all calls: %p, %p",
      async (tier, reported, cost) => {
        usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
        tiers = [...reported]
        const request = { model: "compatible/modes", messages: HELLO, n: 3, stream }
        const receipt = await receiptFor(CHAT, { ...request, service_tier: tier })
        expect(nanocredits(receipt.cost)).toBe(cost)
      },
    )

    test("use the most expensive reported service tier for all calls", async () => {
      usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
      tiers = ["standard", "priority", "standard"]
      const request = { model: "compatible/priority", messages: HELLO, n: 3, stream }
      expect(nanocredits((await receiptFor(CHAT, request)).cost)).toBe(2n * 3n * 15_000n)
    })

    test.each([
      ["low", 5_000_000n, "request_low"],
      ["medium", 8_000_000n, "request_medium"],
      ["high", 12_000_000n, "request"],
      [undefined, 12_000_000n, "request"],
    ])("include a request fee for the reported search context (%s)", async (size, fee, name) => {
      usage = {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        search_context_size: size,
      }
      const request = { model: "perplexity/sonar", messages: HELLO, stream }
      const one = await receiptFor(CHAT, request)
      expect(nanocredits(one.cost)).toBe(15_000n + fee)
      expect(one.usage).toEqual({ input: 10, output: 5, [name]: 1 })
      const three = await receiptFor(CHAT, { ...request, n: 3 })
      expect(nanocredits(three.cost)).toBe(3n * (15_000n + fee))
      expect(nanocredits(three.hold)).toBeGreaterThanOrEqual(nanocredits(three.cost))
    })
  },
)

test("the hold for tools increases in proportion to the number of calls", async () => {
  usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const holdOf = async (n: number) => {
    const web_search_options = { search_type: "pro" }
    const request = { model: "perplexity/premium", messages: HELLO, web_search_options, n }
    return nanocredits((await receiptFor(CHAT, request)).hold)
  }
  const one = await holdOf(1)
  expect(await holdOf(8)).toBeLessThanOrEqual((8n * one * 105n) / 100n)
})

test("choices that arrive after the first usage report are charged", () => {
  const meter = new Meter()
  const counted = { ...NO_USAGE, inputFresh: 10, output: 1 }
  meter.push([
    { type: "usage", usage: counted },
    { type: "text-delta", choice: 0, text: "Heads" },
    { type: "finish", choice: 0, reason: "stop" },
    { type: "text-delta", choice: 1, text: "word ".repeat(1_000) },
  ])
  expect(meter.isCounted).toBe(false)
  meter.push([{ type: "finish", choice: 1, reason: "stop" }])
  expect(meter.isCounted).toBe(false)
  meter.push([{ type: "usage", usage: { ...counted, output: 1_001 } }])
  expect(meter.isCounted).toBe(true)
  meter.push([{ type: "text-delta", choice: 1, text: "more" }])
  expect(meter.isCounted).toBe(false)
})

test("text that arrives after the reported end of a response is charged", () => {
  const counted = { ...NO_USAGE, inputFresh: 10, output: 1 }
  for (const choice of [0, 1]) {
    const meter = new Meter()
    meter.frame(
      [
        { type: "finish", choice: 0, reason: "stop" },
        { type: "finish", choice: 0, reason: "stop" },
        { type: "usage", usage: counted },
      ],
      {},
    )
    meter.push([
      { type: "text-delta", choice, text: "word ".repeat(1_000) },
      { type: "finish", choice, reason: "stop" },
    ])
    expect(meter.isCounted).toBe(false)
  }
})
