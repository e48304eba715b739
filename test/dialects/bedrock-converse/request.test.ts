import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Tool } from "../../../src/canon/tool.ts"
import { BEDROCK_CONVERSE, bedrockConverse } from "../../../src/dialects/bedrock-converse/index.ts"
import { FAMILIES } from "../../../src/dialects/bedrock-converse/quirks.ts"
import { assistant, call, result, text, tool, user } from "./conversation.ts"
import { bodyOf, CLAUDE, lossesOf, NOVA, request } from "./fixtures.ts"
import { GPT, GPT_OSS, LLAMA, OPUS_4_7 } from "./models.ts"

const SONNET_4 = "us.anthropic.claude-sonnet-4-20250514-v1:0"

const MISTRAL = "mistral.mistral-large-2402-v1:0"

describe("the Bedrock encoder of limits and sampling", () => {
  test("uses Converse's field names", () => {
    const more = { maxTokens: 10, temperature: 0.8, topP: 1, stop: ["|"] }
    expect(bodyOf({ model: "amazon.titan-text-lite-v1", ...more }).inferenceConfig).toEqual({
      maxTokens: 10,
      temperature: 0.8,
      topP: 1,
      stopSequences: ["|"],
    })
    expect(bodyOf()).not.toHaveProperty("inferenceConfig")
  })

  test("lowers a temperature above 1 to 1", () => {
    expect(bodyOf({ temperature: 1.7 }).inferenceConfig).toEqual({ temperature: 1 })
    expect(lossesOf({ temperature: 1.7 })).toEqual(["temperature:approximated"])
    expect(lossesOf({ temperature: 1 })).toEqual([])
  })

  test("sets an omitted temperature to 1 if the model has another default", () => {
    const { inferenceConfig } = bodyOf({ model: NOVA, maxTokens: 5, topP: 0.5 })
    expect(inferenceConfig).toEqual({ maxTokens: 5, temperature: 1, topP: 0.5 })
    for (const model of [LLAMA, MISTRAL, "mistral.mixtral-8x7b-instruct-v0:1"]) {
      expect(bodyOf({ model }).inferenceConfig).toEqual({ temperature: 1 })
      expect(lossesOf({ model })).toEqual([])
    }
    expect(bodyOf({ model: NOVA, temperature: 0 }).inferenceConfig).toEqual({ temperature: 0 })
    const thinking = { model: "us.amazon.nova-2-lite-v1:0", reasoning: { effort: "high" } }
    expect(bodyOf(thinking)).not.toHaveProperty("inferenceConfig")
    for (const model of [CLAUDE, OPUS_4_7, GPT_OSS, GPT, "deepseek.r1-v1:0"]) {
      expect(bodyOf({ model })).not.toHaveProperty("inferenceConfig")
    }
  })

  test("sends only one of temperature and top_p to Claude 4.1 and later", () => {
    const more = { temperature: 0.5, topP: 0.9 }
    expect(bodyOf(more).inferenceConfig).toEqual({ temperature: 0.5 })
    expect(lossesOf(more)).toEqual(["top_p:dropped"])
    expect(bodyOf({ topP: 0.9 }).inferenceConfig).toEqual({ topP: 0.9 })
    expect(lossesOf({ model: SONNET_4, ...more })).toEqual([])
  })

  test("drops temperature and top_p for the newest Claude models", () => {
    const more = { temperature: 0.5, topP: 0.9, topK: 3, stop: ["a"], maxTokens: 5 }
    expect(bodyOf({ model: OPUS_4_7, ...more }).inferenceConfig).toEqual({
      maxTokens: 5,
      stopSequences: ["a"],
    })
    expect(lossesOf({ model: OPUS_4_7, ...more })).toEqual([
      "temperature:dropped",
      "top_p:dropped",
      "top_k:dropped",
    ])
  })

  test("reports no loss when it drops default values", () => {
    const usual = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 }
    expect(lossesOf({ model: OPUS_4_7, ...usual })).toEqual([])
    expect(lossesOf({ topP: 1, temperature: 0.5 })).toEqual([])
    // The default of this model differs.
    const thinking = { reasoning: { effort: "high" }, temperature: 1 } as const
    expect(lossesOf({ model: NOVA, ...thinking })).toContain("temperature:dropped")
  })

  test("sends top_k in the field of the model's vendor", () => {
    expect(bodyOf({ topK: 5 }).additionalModelRequestFields).toEqual({ top_k: 5 })
    expect(bodyOf({ model: NOVA, topK: 5 }).additionalModelRequestFields).toEqual({
      inferenceConfig: { topK: 5 },
    })
    expect(lossesOf({ model: LLAMA, topK: 5 })).toEqual(["top_k:dropped"])
  })

  test("requests the name of the matched stop string only from Claude models", () => {
    const stop = ["END"]
    expect(bodyOf({ stop }).additionalModelResponseFieldPaths).toEqual(["/stop_sequence"])
    expect(bodyOf({ stop, stream: true }).additionalModelResponseFieldPaths).toEqual([
      "/delta/stop_sequence",
    ])
    expect(bodyOf({ model: NOVA, stop })).not.toHaveProperty("additionalModelResponseFieldPaths")
    expect(bodyOf()).not.toHaveProperty("additionalModelResponseFieldPaths")
  })
})

describe("the Bedrock tool encoder", () => {
  const look: Tool = {
    name: "look",
    description: "Looks",
    parameters: { type: "object", properties: { at: { type: "string" } } },
  }
  const see: Tool = { name: "see", description: " " }

  test("declares tools, even without parameters or a description", () => {
    expect(bodyOf({ tools: [look, see] }).toolConfig).toEqual({
      tools: [
        {
          toolSpec: {
            name: "look",
            description: "Looks",
            inputSchema: { json: look.parameters! },
          },
        },
        { toolSpec: { name: "see", inputSchema: { json: { type: "object" } } } },
      ],
    })
  })

  test("sends no configuration for an empty list of tools", () => {
    expect(bodyOf({ tools: [] })).not.toHaveProperty("toolConfig")
    expect(lossesOf({ tools: [], parallelToolCalls: false })).toEqual([])
  })

  test("makes a tool strict if the model supports its schema", () => {
    const closed = { type: "object", properties: {}, additionalProperties: false }
    const strict = [{ ...look, parameters: closed, strict: true }]
    expect(bodyOf({ tools: strict }).toolConfig).toMatchObject({
      tools: [{ toolSpec: { strict: true } }],
    })
    expect(lossesOf({ tools: strict })).toEqual([])
    expect(lossesOf({ model: SONNET_4, tools: strict })).toEqual(["tools.strict:dropped"])
    expect(lossesOf({ tools: [{ ...look, strict: true }] })).toEqual(["tools.strict:dropped"])
    expect(lossesOf({ tools: [{ ...see, strict: true }] })).toEqual(["tools.strict:dropped"])
    expect(lossesOf({ model: SONNET_4, tools: [{ ...look, strict: false }] })).toEqual([])
  })

  const tools = [look, see]

  test.each<[string, ChatRequest["toolChoice"], unknown, string[]]>([
    [CLAUDE, { type: "auto" }, undefined, []],
    [CLAUDE, { type: "required" }, { any: {} }, []],
    [CLAUDE, { type: "tool", name: "see" }, { tool: { name: "see" } }, []],
    [NOVA, { type: "tool", name: "see" }, { tool: { name: "see" } }, []],
    [MISTRAL, { type: "required" }, { any: {} }, []],
    [MISTRAL, { type: "tool", name: "see" }, { any: {} }, ["tool_choice:approximated"]],
    [LLAMA, { type: "auto" }, undefined, []],
    [LLAMA, { type: "required" }, undefined, ["tool_choice:approximated"]],
    [LLAMA, { type: "tool", name: "see" }, undefined, ["tool_choice:approximated"]],
  ])("encodes tool choice %s as %p", (model, toolChoice, expected, losses) => {
    const more = { model, tools, toolChoice: toolChoice! }
    const { toolConfig } = bodyOf(more) as { toolConfig: { toolChoice?: unknown } }
    expect(toolConfig.toolChoice).toEqual(expected as never)
    expect(lossesOf(more)).toEqual(losses)
  })

  test("sends the tool choice any if the request requires its only tool by name", () => {
    const more = {
      model: MISTRAL,
      tools: [look],
      toolChoice: { type: "tool" as const, name: "look" },
    }
    expect(bodyOf(more).toolConfig).toMatchObject({ toolChoice: { any: {} } })
    expect(lossesOf(more)).toEqual([])
  })

  const history = [user(text("a")), assistant(call("1")), tool(result("1", "x"))]
  const none = { type: "none" as const }

  test("omits tools if the caller forbids calls", () => {
    expect(bodyOf({ tools, toolChoice: none })).not.toHaveProperty("toolConfig")
    expect(lossesOf({ tools, toolChoice: none })).toEqual([])
  })

  test("declares tools that earlier turns called, even if the caller forbids calls", () => {
    const more = { messages: history, tools, toolChoice: none }
    expect(bodyOf(more).toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: "look" } }, { toolSpec: { name: "see" } }],
    })
    expect(lossesOf(more)).toEqual(["tool_choice:approximated"])
  })

  test("declares tools that earlier turns called, even if the request has no tools", () => {
    expect(bodyOf({ messages: history }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: "look", inputSchema: { json: { type: "object" } } } }],
    })
    expect(lossesOf({ messages: history })).toEqual(["tool_choice:approximated"])
  })

  test("limits calls to one at a time if the model supports this limit", () => {
    const more = { tools, parallelToolCalls: false, toolChoice: { type: "required" as const } }
    const body = bodyOf(more)
    expect(body.toolConfig).not.toHaveProperty("toolChoice")
    expect(body.additionalModelRequestFields).toEqual({
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    })
    expect(lossesOf(more)).toEqual([])
    expect(bodyOf({ tools, parallelToolCalls: false }).additionalModelRequestFields).toEqual({
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    })
    expect(lossesOf({ model: NOVA, tools, parallelToolCalls: false })).toEqual([
      "parallel_tool_calls:dropped",
    ])
    expect(lossesOf({ model: NOVA, tools, parallelToolCalls: true })).toEqual([])
  })
})

describe("the Bedrock encoder of other fields", () => {
  test("sends metadata with valid names and values", () => {
    expect(bodyOf({ metadata: { team: "a-1", empty: "" } }).requestMetadata).toEqual({
      team: "a-1",
      empty: "",
    })
    expect(lossesOf({ metadata: { team: "a" } })).toEqual([])
    const odd = { metadata: { good: "1", žluť: "2", bad: "{}", "": "3" } }
    expect(bodyOf(odd).requestMetadata).toEqual({ good: "1" })
    expect(lossesOf(odd)).toEqual(["metadata:approximated"])
    expect(bodyOf({ metadata: {} })).not.toHaveProperty("requestMetadata")
  })

  test.each([
    ["auto", undefined, []],
    ["default", { type: "default" }, []],
    ["flex", { type: "flex" }, []],
    ["priority", { type: "priority" }, []],
    ["standard_only", { type: "default" }, []],
    ["scale", undefined, ["service_tier:dropped"]],
  ])("encodes the service tier %s", (serviceTier, expected, losses) => {
    expect(bodyOf({ serviceTier }).serviceTier).toEqual(expected as never)
    expect(lossesOf({ serviceTier })).toEqual(losses)
  })

  test("reports fields that Converse does not support as lost", () => {
    const more = {
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: 1,
      logprobs: true,
      topLogprobs: 2,
      verbosity: "low",
      user: "u",
      safetyIdentifier: "s",
      promptCacheKey: "k",
      previousResponse: "resp_1",
      choices: 3,
    }
    expect(bodyOf(more)).toEqual(bodyOf())
    expect(lossesOf(more)).toEqual(
      [
        "seed",
        "presence_penalty",
        "frequency_penalty",
        "logprobs",
        "verbosity",
        "user",
        "safety_identifier",
        "prompt_cache_key",
        "previous_response_id",
      ].map((name) => `${name}:dropped`),
    )
    expect(lossesOf({ logprobs: false })).toEqual([])
  })

  test("adds Bedrock-only fields to the body", () => {
    const guardrailConfig = { guardrailIdentifier: "g", guardrailVersion: "1" }
    const extra = { dialect: "bedrock-converse" as const, fields: { guardrailConfig } }
    expect(bodyOf({ extra }).guardrailConfig).toEqual(guardrailConfig)
  })
})

describe("the Bedrock model table", () => {
  test.each([
    ["anthropic.claude-3-haiku-20240307-v1:0", "none", "both"],
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", "budget", "both"],
    ["us.anthropic.claude-opus-4-1-20250805-v1:0", "budget", "one"],
    ["eu.anthropic.claude-haiku-4-5-20251001-v1:0", "budget", "one"],
    ["anthropic.claude-opus-4-6-v1", "budget-or-adaptive", "one"],
    ["global.anthropic.claude-opus-4-8", "adaptive", "none"],
    ["us.anthropic.claude-sonnet-5", "adaptive", "none"],
    ["anthropic.claude-mythos-preview", "adaptive", "none"],
    ["arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-2-lite-v1:0", "nova", "both"],
    ["amazon.nova-pro-v1:0", "none", "both"],
    ["openai.gpt-oss-20b", "flat-effort", "both"],
    ["us.openai.gpt-5.4", "nested-effort", "none"],
    ["deepseek.v3.2", "none", "both"],
  ])("has the rules of %s", (model, reasoning, sampling) => {
    const family = FAMILIES.find(({ pattern }) => pattern.test(model))
    expect(family).toMatchObject({ reasoning: reasoning as never, sampling: sampling as never })
  })

  test("sends an output format to Claude models that do not accept a required call", () => {
    const model = "us.anthropic.claude-opus-5-5"
    const tools = [{ name: "look" }]
    expect(lossesOf({ model, tools, toolChoice: { type: "required" } })).toEqual([
      "tool_choice:approximated",
    ])
    const closed = { type: "object", additionalProperties: false }
    const responseFormat = { type: "json-schema" as const, name: "a", schema: closed }
    expect(bodyOf({ model, responseFormat })).toHaveProperty("outputConfig")
    expect(bodyOf({ model: OPUS_4_7, responseFormat })).toHaveProperty("toolConfig")
  })

  test("has no rules for an inference profile unless the operator adds them", () => {
    const model = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"
    expect(lossesOf({ model, topK: 1 })).toEqual(["top_k:dropped"])
    const row = { ...FAMILIES[3]!, pattern: /application-inference-profile\/abc$/ }
    const dialect = bedrockConverse({ families: [row, ...FAMILIES] })
    expect(dialect.encodeRequest(request({ model, topK: 1 })).losses).toEqual([])
  })

  test("belongs to a dialect with AWS event-stream framing and without patches", () => {
    expect(BEDROCK_CONVERSE).toMatchObject({ id: "bedrock-converse", framing: "event-stream" })
    expect(BEDROCK_CONVERSE.patches).toBeUndefined()
  })
})
