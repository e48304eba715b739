import { expect, test } from "bun:test"
import type { SecondModel } from "../../../src/relay/priced-features/feature-costs.ts"
import { secondNamed } from "../../../src/relay/priced-features/second-model-names.ts"

/** Returns a second model; all other models of these tests are cheaper. */
function expensive(name: string): SecondModel {
  const price = { rates: { inputFresh: 100n, output: 100n }, multiplier: 1n }
  return { name, id: name, price } as unknown as SecondModel
}

function cheap(name: string): SecondModel {
  const price = { rates: { inputFresh: 1n, output: 1n }, multiplier: 1n }
  return { name, id: name, price } as unknown as SecondModel
}

test.each([
  ["~anthropic/claude-opus-latest", "openai/gpt-5-pro", "anthropic/claude-5.5-opus-20260915"],
  ["~anthropic/claude-haiku-latest", "openai/gpt-5-pro", "anthropic/claude-4.5-haiku-20251001"],
  ["~anthropic/claude-haiku-latest", "openai/gpt-5-pro", "anthropic/claude-haiku-4.5"],
  ["~openai/gpt-mini-latest", "openai/gpt-5-pro", "openai/gpt-5.4-mini-20260317"],
  ["~openai/gpt-mini-latest", "openai/gpt-5.4", "openai/gpt-5.4-mini-20260317"],
  ["~google/gemini-flash-latest", "anthropic/claude-opus-5", "google/gemini-3.8-flash-20260901"],
  ["~google/gemini-pro-latest", "openai/gpt-5-pro", "google/gemini-3.1-pro-preview-20260219"],
  ["~moonshotai/kimi-latest", "openai/gpt-5-pro", "moonshotai/kimi-k2.5-0127"],
  ["~deepseek/deepseek-v4-flash-latest", "openai/gpt-5-pro", "deepseek/deepseek-v4-flash-20260424"],
  ["~z-ai/glm-latest", "~z-ai/glm-flash-latest", "z-ai/glm-5.3-20260901"],
  ["~z-ai/glm-flash-latest", "~z-ai/glm-latest", "z-ai/glm-4.7-flash-20260119"],
  ["openai/gpt-5-nano", "~anthropic/claude-opus-latest", "openai/gpt-5-nano-2025-08-07"],
  ["qwen/qwen3-235b-a22b-2507", "qwen/qwen3-235b-a22b", "qwen/qwen3-235b-a22b-07-25"],
  ["qwen/qwen3-235b-a22b", "qwen/qwen3-235b-a22b-2507", "qwen/qwen3-235b-a22b-04-28"],
  ["deepseek/deepseek-chat", "deepseek/deepseek-chat-v3-0324", "deepseek/deepseek-chat-v3"],
  ["deepseek/deepseek-chat-v3-0324", "deepseek/deepseek-chat", "deepseek/deepseek-chat-v3-0324"],
])(
  "for the model %s with the fallback %s, the reported name refers to the requested model: %s",
  (own, fallback, reported) => {
    const models = [expensive(fallback)]
    expect(secondNamed(reported, [cheap(own)], models)).toBeUndefined()
    // With the roles exchanged, the name refers to the fallback.
    const second = cheap(own)
    expect(secondNamed(reported, [expensive(fallback)], [second])).toBe(second)
  },
)

test.each([
  ["~anthropic/claude-opus-latest", "other/claude-5.5-opus"],
  ["~anthropic/claude-opus-latest", "anthropic/claude-5.5-haiku"],
  ["~z-ai/glm-latest", "z-ai/glm-4.7-flash"],
  ["anthropic/claude-opus-latest", "anthropic/claude-5.5-opus"],
])("the alias %s does not match %s", (own, reported) => {
  const second = expensive("openai/gpt-5-pro")
  expect(secondNamed(reported, [cheap(own)], [second])).toBe(second)
})
