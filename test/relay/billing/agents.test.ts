import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { respond, response } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { nanocredits, nothingHeld, receiptOf } from "../support.ts"

type Json = Record<string, unknown>

/** The path for models that run several agents for one response. The tokens of all agents are billed. */

const RESPONSES = "/v1/responses"
const MODEL = "xai/grok-4.20-multi-agent-0309"

let vendor: ScriptedVendor
let gateway: TestGateway
let usage: Json

beforeAll(async () => {
  vendor = startVendor(() => {
    const answer = { ...response([]), usage }
    return respond(RESPONSES, vendor.bodies.at(-1), answer)
  })
  gateway = await startGateway({
    providers: { xai: { ...provider(vendor.url, "xai"), knownModels: true } },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

function used(input: number, output: number): Json {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}

const CASES = [
  { name: "the usual effort", body: { max_output_tokens: 16 }, usage: used(39_263, 9_997) },
  { name: "effort high", body: { reasoning: { effort: "high" } }, usage: used(620_000, 160_000) },
  {
    name: "effort xhigh and a limit",
    body: { reasoning: { effort: "xhigh" }, max_output_tokens: 16 },
    usage: used(620_000, 160_000),
  },
]

describe("the hold for a request with several agents", () => {
  for (const { name, body, usage: reported } of CASES) {
    for (const stream of [false, true]) {
      test(`covers the reported usage at ${name}, ${stream ? "streamed" : "whole"}`, async () => {
        usage = reported
        for (const credits of ["100", "0.02"]) {
          const caller = await gateway.caller(credits)
          const asked = await caller.post(RESPONSES, { model: MODEL, input: "Hi", stream, ...body })
          const text = await asked.text()
          expect(asked.status, text).toBe(credits === "100" ? 200 : 402)
          if (asked.status === 402) continue
          const { hold, cost } = await receiptOf(caller, asked)
          await nothingHeld(caller)
          expect(nanocredits(hold)).toBeGreaterThanOrEqual(nanocredits(cost))
        }
      })
    }
  }
})

test("tokens of several agents are charged even above the hold", async () => {
  usage = used(1_600_000, 200_000)
  const caller = await gateway.caller("100")
  const body = { model: MODEL, input: "Hi", max_output_tokens: 16 }
  const asked = await caller.post(RESPONSES, body)
  await asked.text()
  const receipt = await receiptOf(caller, asked)
  await nothingHeld(caller)
  expect(receipt.usage).toEqual({ input: 1_600_000, output: 200_000 })
  expect(await caller.balance()).toBe(100_000_000_000n - nanocredits(receipt.cost))
})
