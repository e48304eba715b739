import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const { decodeRequest } = OPENAI_CHAT

function body(fields: JsonObject = {}): JsonObject {
  return { model: "vendor/model", messages: [{ role: "user", content: "Hi" }], ...fields }
}

describe("the OpenAI request decoder", () => {
  test("accepts a request with only the required fields", () => {
    expect(decodeRequest(body())).toEqual({
      model: "vendor/model",
      messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
      stream: false,
      streamUsage: false,
      choices: 1,
    })
  })

  test("reads every canonical parameter", () => {
    const schema = { type: "object" }
    const request = decodeRequest(
      body({
        stream: true,
        stream_options: { include_usage: true },
        max_completion_tokens: 7,
        n: 2,
        temperature: 2,
        top_p: 1,
        top_k: 40,
        stop: "end",
        seed: 2 ** 63,
        presence_penalty: -2,
        frequency_penalty: 2,
        logprobs: true,
        top_logprobs: 20,
        parallel_tool_calls: false,
        response_format: { type: "json_schema", json_schema: { name: "a", schema, strict: true } },
        reasoning_effort: "minimal",
        verbosity: "low",
        user: "u",
        safety_identifier: "s",
        metadata: { a: "b" },
        service_tier: "on_demand",
        prompt_cache_key: "k",
        tools: [
          {
            type: "function",
            function: { name: "f", description: "d", parameters: schema, strict: null },
          },
        ],
        tool_choice: { type: "function", function: { name: "f" } },
      }),
    )
    expect(request).toMatchObject({
      stream: true,
      streamUsage: true,
      maxTokens: 7,
      choices: 2,
      temperature: 2,
      topP: 1,
      topK: 40,
      stop: ["end"],
      presencePenalty: -2,
      frequencyPenalty: 2,
      logprobs: true,
      topLogprobs: 20,
      parallelToolCalls: false,
      responseFormat: { type: "json-schema", name: "a", schema, strict: true },
      reasoning: { effort: "minimal" },
      verbosity: "low",
      user: "u",
      safetyIdentifier: "s",
      metadata: { a: "b" },
      serviceTier: "on_demand",
      promptCacheKey: "k",
      tools: [{ name: "f", description: "d", parameters: schema }],
      toolChoice: { type: "tool", name: "f" },
    })
    expect(request.extra).toBeUndefined()
  })

  test("treats null like a missing field", () => {
    const names = [
      ["stream", "stream_options", "max_tokens", "max_completion_tokens", "n", "temperature"],
      ["top_p", "stop", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"],
      ["top_logprobs", "tools", "tool_choice", "parallel_tool_calls", "response_format", "user"],
      ["reasoning_effort", "metadata", "modalities", "audio", "prediction", "store", "verbosity"],
      ["service_tier", "web_search_options", "safety_identifier", "prompt_cache_key", "reasoning"],
    ].flat()
    const nothing = Object.fromEntries(names.map((name) => [name, null]))
    expect(decodeRequest(body(nothing))).toEqual(decodeRequest(body()))
  })

  test("accepts temperature together with top_p, and an empty list of stop strings", () => {
    expect(decodeRequest(body({ temperature: 1, top_p: 0.5, stop: [] })).stop).toBeUndefined()
  })

  test("keeps unknown fields as extras", () => {
    const fields = { store: true, logit_bias: { "5": 1 }, vendor_field: [1] }
    expect(decodeRequest(body(fields)).extra).toEqual({ dialect: "openai-chat", fields })
  })

  test("keeps unknown kinds of tools, tool choices and formats as extras", () => {
    const search = { type: "openrouter:web_search", parameters: { max_uses: 1 } }
    const choice = { type: "allowed_tools", allowed_tools: {} }
    const request = decodeRequest(
      body({
        tools: [
          search,
          { type: "function", function: { name: "f", x: 1 }, cache_control: { type: "a" } },
        ],
        tool_choice: choice,
        response_format: { type: "regex", regex: { regex: "a*" } },
        stream: true,
        stream_options: { include_obfuscation: false },
      }),
    )
    expect(request.tools).toMatchObject([
      { name: "f", extra: { fields: { function: { x: 1 }, cache_control: { type: "a" } } } },
    ])
    expect(request.toolChoice).toBeUndefined()
    expect(request.extra?.fields).toEqual({
      tools: [search],
      tool_choice: choice,
      response_format: { type: "regex", regex: { regex: "a*" } },
      stream_options: { include_obfuscation: false },
    })
  })

  test.each([
    [{ effort: "high" }, { effort: "high" }],
    [{ max_tokens: 2000 }, { budget: 2000 }],
    [{ enabled: true }, { isAdaptive: true }],
    [{ enabled: true, effort: "low" }, { effort: "low" }],
    [{ enabled: false }, { effort: "none" }],
    [
      { effort: "low", exclude: true },
      { effort: "low", summary: "none" },
    ],
    [{}, undefined],
  ])("reads OpenRouter's reasoning option %p", (reasoning, order) => {
    const request = decodeRequest(body({ reasoning }))
    expect(request.reasoning).toEqual(order)
    expect(request.extra).toBeUndefined()
  })

  test("keeps unknown members of a reasoning option as extras", () => {
    const request = decodeRequest(body({ reasoning: { effort: "low", x: 1 } }))
    expect(request.reasoning).toEqual({ effort: "low" })
    expect(request.extra?.fields).toEqual({ reasoning: { x: 1 } })
    expect(decodeRequest(body({ reasoning: "yes" })).extra?.fields).toEqual({ reasoning: "yes" })
  })

  test("accepts a schema without a name, as Perplexity's clients send it", () => {
    const response_format = { type: "json_schema", json_schema: { schema: { type: "object" } } }
    expect(decodeRequest(body({ response_format })).responseFormat).toEqual({
      type: "json-schema",
      name: "answer",
      schema: { type: "object" },
    })
  })

  test("accepts Mistral's name for the tool choice that requires a call", () => {
    const tools = [{ function: { name: "f" } }]
    expect(decodeRequest(body({ tools, tool_choice: "any" })).toolChoice).toEqual({
      type: "required",
    })
  })
})
