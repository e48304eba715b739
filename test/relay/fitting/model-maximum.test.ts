import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, receiptOf } from "../support.ts"

/** Maximum output of the model. Claude's API requires `max_tokens`, so the gateway sends this value. */
const MAXIMUM = 16_384
let vendor: ScriptedVendor
let gateway: TestGateway

beforeAll(async () => {
  vendor = startVendor(() =>
    Response.json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "up",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 1 },
    }),
  )
  gateway = await startGateway({
    providers: { claude: provider(vendor.url, "anthropic") },
    models: {
      "claude/model": {
        kind: "chat",
        price: { input: "1", output: "2" },
        maxOutput: MAXIMUM,
        deployments: [{ provider: "claude", model: "up", weight: 1 }],
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

test("an omitted output limit becomes the model's maximum if the vendor requires a limit", async () => {
  const caller = await gateway.caller("1")
  const response = await caller.post(CHAT, { model: "claude/model", messages: HELLO })
  expect(response.status).toBe(200)
  expect(vendor.bodies.at(-1)).toMatchObject({ max_tokens: MAXIMUM })
})

test("the hold for an output limit that is too high covers no more than the model's maximum", async () => {
  const caller = await gateway.caller("1")
  const body = { model: "claude/model", messages: HELLO, max_tokens: 1e9 }
  const receipt = await receiptOf(caller, await caller.post(CHAT, body))
  const max = nanocredits("0.000002") * BigInt(MAXIMUM)
  expect(nanocredits(receipt.hold)).toBeGreaterThan(max)
  expect(nanocredits(receipt.hold)).toBeLessThan(max + nanocredits("0.01"))
})
