import { expect, test } from "bun:test"
import type { ChatDialect } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { totalInput } from "../../../src/canon/usage.ts"
import type { Model } from "../../../src/catalog/model.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { estimateInput } from "../../../src/relay/billing/bounds.ts"
import { wave } from "../../support/audio.ts"

const model = { id: "m", deployments: [] } as unknown as Model

function estimated(dialect: ChatDialect, body: JsonObject) {
  const request = dialect.decodeRequest({ model: "m", max_tokens: 10, ...body })
  const bodyBytes = JSON.stringify(body).length
  return estimateInput({ request, bodyBytes, model, counted: 1_000 })
}

const text = (length: number, cache_control?: JsonObject): JsonObject => ({
  type: "text",
  text: "a".repeat(length),
  ...(cache_control && { cache_control }),
})
const messages = (...content: JsonObject[]) => ({ messages: [{ role: "user", content }] })

test("estimated input without cache markers counts as uncached input", () => {
  const usage = estimated(ANTHROPIC_MESSAGES, messages(text(100)))
  expect(usage).toMatchObject({ inputFresh: 1_004, inputCacheWrite: 0, inputCacheWrite1h: 0 })
})

test.each([
  [{ type: "ephemeral" }, "inputCacheWrite"],
  [{ type: "ephemeral", ttl: "5m" }, "inputCacheWrite"],
  [{ type: "ephemeral", ttl: "1h" }, "inputCacheWrite1h"],
] as const)(
  "estimated input up to the last cache marker counts as a cache write: %j",
  (mark, usageClass) => {
    const usage = estimated(ANTHROPIC_MESSAGES, messages(text(150), text(150, mark), text(100)))
    expect(usage[usageClass]).toBe(753)
    expect(usage.inputFresh).toBe(251)
  },
)

test("a cache marker on a tool applies only to the tools", () => {
  const tool = {
    name: "f",
    description: "a".repeat(400),
    input_schema: { type: "object" },
    cache_control: { type: "ephemeral", ttl: "1h" },
  }
  const usage = estimated(ANTHROPIC_MESSAGES, { tools: [tool], ...messages(text(600)) })
  expect(usage.inputCacheWrite1h).toBeWithin(400, 500)
  expect(totalInput(usage)).toBe(1_004)
})

test("estimated audio input counts as audio", () => {
  const data = wave(60).toBase64()
  const audio = { type: "input_audio", input_audio: { data, format: "wav" } }
  const usage = estimated(OPENAI_CHAT, messages(audio))
  expect(usage.audioInput).toBeGreaterThan(500)
  expect(usage.inputFresh).toBe(1_004)
})
