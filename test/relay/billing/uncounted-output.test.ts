import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { respond, textAnswer } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, receiptOf } from "../support.ts"

/** Providers that count the input of an answer and not its output, or only some of several calls. */

type Json = Record<string, unknown>

const WORDS = 100
const TEXT = "word ".repeat(WORDS)

/** Reports without a count of the output, by the format of the vendor. */
const REPORTS: readonly (readonly [model: string, usage: Json])[] = [
  ["compatible/m", { prompt_tokens: 950 }],
  ["compatible/m", { prompt_tokens: 950, completion_tokens: 0, total_tokens: 950 }],
  ["compatible/m", { prompt_tokens: 950, completion_tokens: "x" }],
  ["anthropic/m", { input_tokens: 950 }],
  ["anthropic/m", { input_tokens: 950, output_tokens: null }],
  ["anthropic/m", { input_tokens: 950, output_tokens: -5 }],
  ["anthropic/m", { input_tokens: 950, service_tier: "standard" }],
  ["google/m", { promptTokenCount: 950 }],
]

let vendor: ScriptedVendor
let gateway: TestGateway
/** The usage of the answers to come; the last one repeats. */
let usages: (Json | undefined)[] = []

beforeAll(async () => {
  vendor = startVendor((request) => {
    const { pathname } = new URL(request.url)
    const usage = usages.length > 1 ? usages.shift() : usages[0]
    return respond(pathname, vendor.bodies.at(-1), textAnswer(pathname, TEXT, usage))
  })
  const price = { input: "1", output: "10" }
  gateway = await startGateway({
    providers: {
      compatible: provider(vendor.url),
      anthropic: provider(vendor.url, "anthropic"),
      google: provider(vendor.url, "google"),
    },
    models: {
      "compatible/m": simulated({ price }),
      "anthropic/m": simulated({ price }),
      "google/m": simulated({ price }),
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function receiptFor(body: Json) {
  const caller = await gateway.caller("100")
  const posted = await caller.post(CHAT, { messages: HELLO, max_tokens: 10_000, ...body })
  const text = await posted.text()
  expect(posted.status, text).toBe(200)
  return receiptOf(caller, posted)
}

for (const stream of [false, true]) {
  test.each(REPORTS)(
    `text without a count is counted: %s %j, stream ${stream}`,
    async (...each) => {
      const [model, usage] = each
      usages = [usage]
      const receipt = await receiptFor({ model, stream })
      expect(receipt.estimated).toBe(true)
      // The first frame of the message stream has a count of its own.
      expect(receipt.usage?.["input"]).toBe(950)
      expect(receipt.usage?.["output"]).toBeGreaterThanOrEqual(WORDS)
    },
  )

  test.each([stream ? {} : undefined, { input_tokens: 950, output_tokens: 0 }])(
    `a call with usage %j is counted, and the others by their reports, stream ${stream}`,
    async (usage) => {
      usages = [{ input_tokens: 950, output_tokens: 700 }, usage]
      const receipt = await receiptFor({ model: "anthropic/m", stream, n: 2 })
      expect(receipt.estimated).toBe(true)
      expect(receipt.usage?.["output"]).toBeGreaterThanOrEqual(700 + WORDS)
      expect(receipt.usage?.["output"]).toBeLessThan(700 + 2 * WORDS)
    },
  )
}
