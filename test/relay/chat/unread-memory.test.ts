import { expect, test } from "bun:test"
import { provider, simulated, startGateway } from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import { startVendor } from "../scripted-vendor.ts"
import { CHAT, errorOf, HELLO, receiptOf } from "../support.ts"

const MEGABYTE = 1024 * 1024

test("a response that exceeds the maximum memory of a request is charged for its usage", async () => {
  const usage = { prompt_tokens: 30, completion_tokens: 400, total_tokens: 430 }
  const message = { role: "assistant", content: "x".repeat(20 * MEGABYTE) }
  const choices = [{ index: 0, message, finish_reason: "stop" }]
  using vendor = startVendor(() => Response.json({ choices, usage }))
  await using gateway = await startGateway({
    settings: { limits: { ...equalLimits(32 * MEGABYTE), memoryBytes: 64 * MEGABYTE } },
    providers: { openai: provider(vendor.url, "openai") },
    models: { "openai/chat": simulated({ dialects: ["openai-chat"] }) },
  })
  const caller = await gateway.caller("10")
  const order = { model: "openai/chat", messages: HELLO, max_tokens: 1_000 }
  const response = await caller.post(CHAT, order)
  const error = await errorOf(response)
  expect(error.message).toContain("limits.memory_mb")
  expect(error.message).toContain("was charged")
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect(vendor.bodies).toHaveLength(1)
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 400 } })
})
