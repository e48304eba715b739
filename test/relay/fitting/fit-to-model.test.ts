import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import facts from "../../../src/catalog/facts.json" with { type: "json" }
import type { Facts } from "../../../src/catalog/facts.ts"
import { resolveRules } from "../../../src/catalog/model-rules.ts"
import { fitToModel, requiredDialect } from "../../../src/relay/fitting/fit-to-model.ts"

const BASE: ChatRequest = {
  model: "m",
  messages: [],
  stream: false,
  streamUsage: false,
  choices: 1,
}

const KNOWN = (facts as unknown as Facts).vendors

/** Returns the rules of a model. Some models are retired and no longer in the registry. */
const known = (vendor: string, model: string) =>
  resolveRules({ vendor, model, facts: KNOWN[vendor]?.[model], written: [] }).rules

/** Returns the request that is adapted to a model, with the reported losses. */
function fit(vendor: string, model: string, request: Partial<ChatRequest>) {
  const rules = known(vendor, model)
  const fitted = fitToModel({ ...BASE, ...request }, rules)
  const entries = Object.entries(fitted.request).filter(([name]) => !Object.hasOwn(BASE, name))
  const left: Partial<ChatRequest> = Object.fromEntries(entries)
  return { left, losses: fitted.losses.map(({ name, effect }) => `${name}:${effect}`) }
}

describe("adaptation of reasoning options", () => {
  test("drops the options with a loss for a model that does not reason", () => {
    const fitted = fit("groq", "llama-3.3-70b-versatile", { reasoning: { effort: "high" } })
    expect(fitted).toEqual({ left: {}, losses: ["reasoning:dropped"] })
  })

  test("drops options without a loss if they turn off a feature that the model does not have", () => {
    for (const reasoning of [{ effort: "none" }, { budget: 0 }]) {
      const fitted = fit("openai", "gpt-4.1", { reasoning })
      expect(fitted).toEqual({ left: {}, losses: [] })
    }
  })

  test.each([
    ["o4-mini", "max", "high"],
    ["o4-mini", "none", "low"],
    ["gpt-5", "max", "high"],
    ["gpt-5", "none", "minimal"],
    ["gpt-5-mini-2025-08-07", "xhigh", "high"],
    ["gpt-5-pro", "low", "high"],
    ["gpt-5.1", "minimal", "none"],
    ["gpt-5.1", "xhigh", "high"],
    ["gpt-5.2", "max", "xhigh"],
    ["gpt-5.4", "max", "xhigh"],
    ["gpt-5.4-pro", "low", "medium"],
    ["gpt-5.5", "max", "xhigh"],
  ])("changes the effort for %s from %s to %s", (model, asked, sent) => {
    const fitted = fit("openai", model, { reasoning: { effort: asked } })
    expect(fitted.left.reasoning).toEqual({ effort: sent })
    expect(fitted.losses).toEqual(["reasoning_effort:approximated"])
  })

  test.each([
    ["gpt-5.6-terra", "max"],
    ["gpt-5.1", "none"],
    ["gpt-5.4", "xhigh"],
    ["gpt-5", "minimal"],
    ["o3", "medium"],
  ])("keeps an effort if %s accepts it: %s", (model, effort) => {
    const fitted = fit("openai", model, { reasoning: { effort } })
    expect(fitted).toEqual({ left: { reasoning: { effort } }, losses: [] })
  })

  test("converts a budget to an effort that the model supports", () => {
    const fitted = fit("openai", "gpt-5", { reasoning: { budget: 12_000 }, maxTokens: 16_000 })
    expect(fitted.left.reasoning).toEqual({ effort: "high" })
    expect(fitted.losses).toEqual(["reasoning_budget:approximated"])
  })

  test.each([
    ["moonshot", "kimi-k2.6", "thinking"],
    ["zai", "glm-4.6", "thinking"],
    ["alibaba", "qwen3-max", "enable_thinking"],
    ["deepseek", "deepseek-v4-pro", "none"],
    ["openai", "gpt-5.1", "none"],
  ] as const)("turns off reasoning of %s/%s with '%s'", (vendor, model, form) => {
    const fitted = fit(vendor, model, { reasoning: { effort: "none" } })
    expect(fitted).toEqual({ left: { reasoning: { effort: "none" } }, losses: [] })
    expect(known(vendor, model)?.reasoning_off).toBe(form)
  })

  test.each([
    ["moonshot", "kimi-k2.6"],
    ["zai", "glm-4.6"],
    ["alibaba", "qwen3-max"],
  ])("replaces the options of %s/%s with values that most models accept", (vendor, model) => {
    for (const [asked, effort] of [
      ["max", "high"],
      ["minimal", "low"],
    ]) {
      const fitted = fit(vendor, model, { reasoning: { effort: asked ?? "" } })
      expect(fitted.left).toEqual({ reasoning: { effort: effort ?? "" } })
      expect(fitted.losses).toEqual(["reasoning_effort:approximated"])
    }
  })

  test("keeps the options of an unknown model", () => {
    const request = { ...BASE, reasoning: { effort: "max" }, temperature: 0.3 }
    const rules = known("openai-compatible", "anything")
    expect(fitToModel(request, rules).request).toEqual(request)
  })
})

describe("adaptation of sampling parameters", () => {
  test("drops parameters with a loss for a model that rejects them", () => {
    const fitted = fit("openai", "o4-mini", { temperature: 0.3, topP: 0.5, frequencyPenalty: 1 })
    expect(fitted.left).toEqual({})
    expect(fitted.losses).toEqual([
      "temperature:dropped",
      "top_p:dropped",
      "frequency_penalty:dropped",
    ])
  })

  test("drops parameters without a loss if they have their default value", () => {
    const fitted = fit("openai", "gpt-5", {
      temperature: 1,
      topP: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
      logprobs: false,
    })
    expect(fitted).toEqual({ left: {}, losses: [] })
  })

  test("keeps parameters for a model that accepts them if it does not reason for the request", () => {
    expect(fit("openai", "gpt-5.4", { temperature: 0.3 }).left).toEqual({ temperature: 0.3 })
    const reasoning = { effort: "low" }
    expect(fit("openai", "gpt-5.4", { temperature: 0.3, reasoning })).toEqual({
      left: { reasoning },
      losses: ["temperature:dropped"],
    })
  })

  test("keeps parameters for models that never reason", () => {
    expect(fit("openai", "gpt-4.1", { temperature: 0.3 }).left).toEqual({ temperature: 0.3 })
    expect(fit("openai", "gpt-5-chat-latest", { temperature: 0.3 }).left).toEqual({
      temperature: 0.3,
    })
  })
})

test.each(["grok-4.3", "grok-code-fast-1"])(
  "penalties are dropped for %s, and a dropped penalty of 0 is not reported as a loss",
  (model) => {
    const { rules } = resolveRules({ vendor: "xai", model, facts: undefined, written: [] })
    const request = { ...BASE, presencePenalty: 0, frequencyPenalty: 0.5 }
    const { request: fitted, losses } = fitToModel(request, rules)
    expect([fitted.presencePenalty, fitted.frequencyPenalty]).toEqual([undefined, undefined])
    expect(losses).toEqual([{ name: "frequency_penalty", effect: "dropped" }])
  },
)

test("a long user name is replaced by a shorter name, which is always the same", () => {
  const user = "user_".padEnd(160, "x")
  const first = fit("openai", "gpt-4.1", { user })
  expect(first.left.user).toHaveLength(64)
  expect(first.losses).toEqual(["user:approximated"])
  expect(fit("openai", "gpt-4.1", { user })).toEqual(first)
  expect(fit("openai", "gpt-4.1", { user: `${user}y` }).left.user).not.toBe(first.left.user)
  expect(fit("openai", "gpt-4.1", { user: "short" }).left).toEqual({ user: "short" })
})

describe("the dialect of a request with function tools", () => {
  const tools = [{ name: "look" }]
  const dialectOf = (model: string, more: Partial<ChatRequest>) =>
    requiredDialect({ ...BASE, ...more }, known("openai", model))

  test("changes to Responses for models that do not support function tools in chat completions", () => {
    for (const model of ["gpt-5.4", "gpt-5.4-mini", "gpt-5.5", "gpt-5.6-terra"]) {
      expect(dialectOf(model, { tools })).toBe("openai-responses")
      expect(dialectOf(model, { tools, reasoning: { effort: "high" } })).toBe("openai-responses")
    }
  })

  test("stays the same for other models, and for requests without tools or without reasoning", () => {
    expect(dialectOf("gpt-5.2", { tools })).toBeUndefined()
    expect(dialectOf("gpt-5.4", {})).toBeUndefined()
    expect(dialectOf("gpt-5.4", { tools, reasoning: { effort: "none" } })).toBeUndefined()
  })
})

describe("the modalities of a response", () => {
  const fitOutput = (model: string, modalities: ChatRequest["modalities"], expressed: string[]) => {
    const request = { ...BASE, ...(modalities && { modalities }) }
    const fitted = fitToModel(request, known("google", model), new Set(expressed) as never)
    return [fitted.request.modalities, fitted.losses.map(({ name }) => name)]
  }
  const IMAGE = "gemini-2.5-flash-image"
  const SPEECH = "gemini-2.5-flash-preview-tts"
  const BOTH = ["output.image", "output.audio"]

  test("default to the model's own modalities if the model also writes text, unless the caller requests others", () => {
    expect(fitOutput(IMAGE, undefined, BOTH)).toEqual([undefined, []])
    expect(fitOutput(IMAGE, ["image"], BOTH)).toEqual([["image"], []])
    expect(fitOutput(IMAGE, ["text", "audio"], BOTH)).toEqual([["text"], ["output.audio"]])
  })

  test("include only text if the caller's format has no images", () => {
    expect(fitOutput(IMAGE, undefined, [])).toEqual([["text"], ["output.image"]])
  })

  test("include only audio for a model that answers only with audio", () => {
    expect(fitOutput(SPEECH, undefined, BOTH)).toEqual([["audio"], []])
    expect(fitOutput(SPEECH, ["text", "audio"], BOTH)).toEqual([["audio"], []])
    expect(() => fitOutput(SPEECH, undefined, [])).toThrow("answers with audio")
  })
})

describe("the rules of a model", () => {
  test.each([
    ["anthropic", "claude-opus-4-6", true],
    ["anthropic", "claude-opus-5", true],
    ["vertex", "claude-sonnet-4-6@20260101", true],
    ["bedrock", "us.anthropic.claude-opus-4-7-v1:0", true],
    ["openrouter", "anthropic/claude-opus-4.6", true],
    ["anthropic", "claude-sonnet-4-5-20250929", undefined],
    ["anthropic", "claude-opus-4-20250514", undefined],
    ["bedrock", "amazon.nova-pro-v1:0", undefined],
    ["openrouter", "openai/gpt-5.4", undefined],
  ])(
    "define for %s/%s whether a conversation must end with the user",
    (vendor, model, expected) => {
      expect(known(vendor, model)?.turns_end_with_user).toBe(expected)
    },
  )

  test.each([
    ["openai", "gpt-4.1", undefined],
    ["openai", "gpt-4-0613", []],
    ["openai", "gpt-4-turbo", ["json_object"]],
    ["openai", "gpt-4o-2024-05-13", ["json_object"]],
    ["openai", "gpt-4o-2024-08-06", undefined],
    ["openai", "o1-mini", []],
    ["anthropic", "claude-3-5-haiku-20241022", []],
    ["anthropic", "claude-sonnet-4-20250514", []],
    ["anthropic", "claude-opus-4-1-20250805", undefined],
    ["anthropic", "claude-haiku-4-5", undefined],
    ["groq", "openai/gpt-oss-120b", undefined],
    ["groq", "llama-3.1-8b-instant", ["json_object"]],
    ["deepseek", "deepseek-v4-pro", ["json_object"]],
    ["mistral", "mistral-large-latest", undefined],
  ])("list the response formats of %s/%s", (vendor, model, formats) => {
    expect(known(vendor, model)?.answer_formats as unknown).toEqual(formats)
  })

  test("combine the rules of the provider and of the model", () => {
    expect(known("bedrock", "anthropic.claude-sonnet-4-5-v1:0")).toMatchObject({
      max_tool_name_length: 64,
      schema_root_object: true,
      max_cache_marks: 4,
    })
    expect(known("groq", "llama-3.1-8b-instant")).toMatchObject({
      max_tools: 128,
      max_tool_name_length: 64,
      json_word_required: true,
      answer_formats: ["json_object"],
      schema_root_object: true,
    })
  })
})

describe("adaptation of tool names", () => {
  const NAMES = ["get_weather", "get-weather", "get.weather", "2nd_weather", "w".repeat(70)]

  test.each([
    ["cohere", "command-a-03-2025", /^[A-Za-z_][A-Za-z0-9_]*$/],
    ["bedrock", "amazon.nova-pro-v1:0", /^[A-Za-z0-9_-]{1,64}$/],
  ])(
    "shortens names for %s, and restores the original names in the response",
    (vendor, model, accepted) => {
      const tools = NAMES.map((name) => ({ name }))
      const call = { type: "tool-call", id: "1", name: "get.weather", arguments: "{}" } as const
      const request: ChatRequest = {
        ...BASE,
        tools,
        toolChoice: { type: "tool", name: "get.weather" },
        messages: [{ role: "assistant", parts: [call] }],
      }
      const { request: fitted, restoration, losses } = fitToModel(request, known(vendor, model))
      const names = (fitted.tools ?? []).map(({ name }) => name)
      expect(new Set(names).size).toBe(NAMES.length)
      for (const name of names) expect(name).toMatch(accepted)
      expect(names.map((name) => restoration?.toolNames?.get(name) ?? name)).toEqual(NAMES)
      expect(fitted.toolChoice).toEqual({ type: "tool", name: names[2] ?? "" })
      expect(fitted.messages[0]?.parts).toEqual([{ ...call, name: names[2] ?? "" }])
      expect(losses).toEqual([])
    },
  )
})
