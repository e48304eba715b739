import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT } from "../support.ts"

/** A vendor with the caller's own dialect. Some models support only functions. */
let vendor: ScriptedVendor
let gateway: TestGateway

const FUNCTION = { name: "apply_patch", arguments: '{"input":"+a"}' }
const CUSTOM = { name: "apply_patch", input: "+a" }

beforeAll(async () => {
  vendor = startVendor((_, number) => {
    const isCustom = JSON.stringify(vendor.bodies[number - 1]).includes('"custom"')
    const call = isCustom
      ? { id: "c1", type: "custom", custom: CUSTOM }
      : { id: "c1", type: "function", function: FUNCTION }
    const message = { role: "assistant", content: null, tool_calls: [call] }
    return Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "x",
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
  })
  gateway = await startGateway({
    providers: { groq: provider(vendor.url, "groq"), openai: provider(vendor.url, "openai") },
    models: { "groq/m": simulated({ maxOutput: 10 }), "openai/m": simulated({ maxOutput: 10 }) },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const TOOL = { type: "custom", custom: { name: "apply_patch" } }

test.each([
  ["groq/m", "function", "tools of a vendor that supports functions only"],
  ["openai/m", "custom", "tools of a vendor that supports them"],
])("a custom tool for %s is sent as a %s tool: %s", async (model, form) => {
  const caller = await gateway.caller("10")
  const messages = [{ role: "user", content: "Fix it." }]
  const response = await caller.post(CHAT, { model, messages, tools: [TOOL] })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    choices: [
      {
        message: { tool_calls: [{ id: "c1", type: "custom", custom: CUSTOM }] },
        finish_reason: "tool_calls",
      },
    ],
  })
  expect(vendor.bodies.at(-1)).toMatchObject({ tools: [{ type: form }] })
})
