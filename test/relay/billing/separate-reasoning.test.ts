import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { completion, respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, nothingHeld, type Receipt, receiptOf } from "../support.ts"

/** Maximum output of vendors whose output limit covers only the text after the reasoning. */

const MAX_OUTPUT_TOKENS = 65_536
const MAX_REASONING_TOKENS = 40_000

let vendor: ScriptedVendor
let gateway: TestGateway
let sent: Record<string, unknown>

/** Returns a response with as much text and reasoning as the request allows. */
function response(): Record<string, unknown> {
  sent = vendor.bodies.at(-1) ?? {}
  const said = Number(sent["max_tokens"] ?? MAX_OUTPUT_TOKENS)
  const isOff = sent["enable_thinking"] === false
  const thought = isOff ? 0 : Number(sent["thinking_budget"] ?? MAX_REASONING_TOKENS)
  const usage = { prompt_tokens: 10, completion_tokens: said + thought }
  return { ...completion(), usage: { ...usage, total_tokens: 10 + said + thought } }
}

beforeAll(async () => {
  vendor = startVendor(() => respond(CHAT, sent, response()))
  const model = {
    kind: "chat",
    price: { input: "1", output: "6" },
    context: 262_144,
    maxOutput: MAX_OUTPUT_TOKENS,
  } as const
  gateway = await startGateway({
    providers: {
      alibaba: provider(vendor.url, "alibaba"),
      siliconflow: provider(vendor.url, "siliconflow"),
    },
    models: {
      "alibaba/qwen3-max": model,
      "alibaba/plain": { ...model, rules: { reasoning: "unsupported" } },
      "siliconflow/Qwen/Qwen3-8B": model,
      "siliconflow/deepseek-ai/DeepSeek-R1": model,
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const MODELS = [
  "alibaba/qwen3-max",
  "siliconflow/Qwen/Qwen3-8B",
  "siliconflow/deepseek-ai/DeepSeek-R1",
]
const LIMITS = [
  { max_tokens: 20 },
  { max_completion_tokens: 20 },
  { max_tokens: 2_000, thinking_budget: 100 },
  { max_tokens: 2_000, thinking_budget: 50_000 },
  { max_tokens: 20_000 },
  { max_tokens: 50_000 },
  { enable_thinking: true },
  { enable_thinking: false, max_tokens: 500 },
  {},
]

describe("the hold for reasoning outside the output limit", () => {
  for (const model of MODELS) {
    for (const limits of LIMITS) {
      for (const stream of [false, true]) {
        const name = `${model} with ${JSON.stringify(limits)}, ${stream ? "streamed" : "whole"}`
        test(`covers the charge for ${name}`, async () => {
          for (const credits of ["0.0006", "0.003", "0.3", "100"]) {
            const caller = await gateway.caller(credits)
            const body = { model, messages: HELLO, stream, ...limits }
            const asked = await caller.post(CHAT, body)
            const text = await asked.text()
            expect([200, 402], text).toContain(asked.status)
            if (credits === "100") expect(asked.status, text).toBe(200)
            if (asked.status === 402) continue
            const receipt: Receipt = await receiptOf(caller, asked)
            await nothingHeld(caller)
            // DeepSeek-R1 may exceed its reasoning budget.
            expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(nanocredits(receipt.cost))
          }
          expect(gateway.heard.filter(({ name }) => name === "writtenOff")).toEqual([])
        })
      }
    }
  }
})

test("the reasoning budget in the settings is sent, unless the caller's budget is lower", async () => {
  const caller = await gateway.caller("100")
  const ask = async (body: Record<string, unknown>) => {
    const asked = await caller.post(CHAT, { model: "alibaba/qwen3-max", messages: HELLO, ...body })
    await asked.text()
    return [sent["thinking_budget"], asked.headers.get("x-tollgate-losses")]
  }
  expect(await ask({ max_tokens: 20 })).toEqual([20, null])
  expect(await ask({ max_completion_tokens: 20 })).toEqual([20, null])
  expect(await ask({ max_tokens: 500, thinking_budget: 100 })).toEqual([100, null])
  expect(await ask({ max_tokens: 500, thinking_budget: 900 })).toEqual([
    500,
    "thinking_budget:approximated",
  ])
  expect(await ask({ max_tokens: 50_000 })).toEqual([undefined, null])
  expect(await ask({ max_tokens: 500, enable_thinking: false })).toEqual([undefined, null])
  expect(await ask({ model: "alibaba/plain", max_tokens: 500 })).toEqual([undefined, null])
})
