import { afterAll, beforeAll, expect, type Mock, spyOn, test } from "bun:test"
import { Load } from "../../../src/routing/loads.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { until } from "../../support/until.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, receiptOf } from "../support.ts"

/** One of two calls fails. Then the response of the other call, which its provider bills, exceeds the size limit. */

const MEGABYTE = 1024 * 1024
const LARGE = {
  type: "message",
  content: [{ type: "text", text: "x".repeat(1.5 * MEGABYTE) }],
  stop_reason: "end_turn",
  usage: { input_tokens: 30, output_tokens: 400 },
}

let ended: Mock<Load["end"]>
let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  ended = spyOn(Load.prototype, "end")
  let made = 0
  vendor = startVendor(async () => {
    if (++made % 2 === 1) return Response.json({ error: { message: "no" } }, { status: 429 })
    await until(() => ended.mock.calls.length > 0)
    return Response.json(LARGE)
  })
  gateway = await startGateway({
    settings: { limits: equalLimits(MEGABYTE) },
    providers: { anthropic: provider(vendor.url.replace("/v1", ""), "anthropic") },
    models: { "anthropic/chat": simulated() },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
  ended.mockRestore()
})

test("a response above the size limit is charged even if another call has failed first", async () => {
  const caller = await gateway.caller("10")
  const order = { model: "anthropic/chat", messages: HELLO, max_tokens: 1_000, n: 2 }
  const response = await caller.post(CHAT, order)
  expect(response.headers.get("x-should-retry")).toBe("false")
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
})
