import { describe, expect, test } from "bun:test"
import type { Part } from "../../../src/canon/message.ts"
import type { Tool, ToolChoice } from "../../../src/canon/tool.ts"
import { assistant, encoded, MODEL, requestOf, user } from "./fixtures.ts"

const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

const WEATHER: Tool = { name: "weather", description: "Weather of a city", parameters: PARAMETERS }

const CLOCK: Tool = { name: "clock" }

const CALL: Part = {
  type: "tool-call",
  id: "weather_1",
  name: "weather",
  arguments: '{"city":"A"}',
}

test("the Cohere encoder encodes a request with only the required fields", () => {
  expect(encoded(requestOf())).toEqual({
    body: {
      model: MODEL,
      messages: [{ role: "user", content: "Hello" }],
      stream: false,
      temperature: 1,
    },
    losses: [],
  })
})

test("the Cohere encoder sets an omitted temperature to 1, even with top_p", () => {
  expect(encoded(requestOf({ topP: 0.9 }))).toMatchObject({
    body: { temperature: 1, p: 0.9 },
    losses: [],
  })
  expect(encoded(requestOf({ temperature: 0 })).body.temperature).toBe(0)
})

test("the Cohere encoder uses Cohere's names for sampling parameters", () => {
  const { body, losses } = encoded(
    requestOf({
      stream: true,
      maxTokens: 100,
      temperature: 0.4,
      topP: 0.9,
      topK: 40,
      stop: ["END"],
      seed: 7,
      frequencyPenalty: 0.5,
    }),
  )
  expect(body).toMatchObject({
    stream: true,
    max_tokens: 100,
    temperature: 0.4,
    p: 0.9,
    k: 40,
    stop_sequences: ["END"],
    seed: 7,
    frequency_penalty: 0.5,
  })
  expect(losses).toEqual([])
})

test("the Cohere encoder limits values to Cohere's ranges and reports losses", () => {
  const { body, losses } = encoded(
    requestOf({ temperature: 1.7, topP: 1, topK: 900, presencePenalty: -1.5 }),
  )
  expect(body).toMatchObject({ temperature: 1, p: 0.99, k: 500, presence_penalty: 0 })
  expect(losses).toEqual([
    "temperature:approximated",
    "top_p:approximated",
    "top_k:approximated",
    "presence_penalty:approximated",
  ])
})

test("the Cohere encoder converts a negative seed to a positive one", () => {
  expect(encoded(requestOf({ seed: -5 }))).toMatchObject({ body: { seed: 5 }, losses: [] })
})

test("the Cohere encoder sends only one of the two penalties and drops a penalty of zero", () => {
  const both = encoded(requestOf({ frequencyPenalty: 0.5, presencePenalty: 0.5 }))
  expect(both.body.frequency_penalty).toBe(0.5)
  expect(both.body).not.toHaveProperty("presence_penalty")
  expect(both.losses).toEqual(["presence_penalty:dropped"])
  const one = encoded(requestOf({ frequencyPenalty: 0, presencePenalty: 0.5 }))
  expect(one.body.presence_penalty).toBe(0.5)
  expect(one.body).not.toHaveProperty("frequency_penalty")
  expect(one.losses).toEqual([])
})

test("the Cohere encoder drops an empty list of stop strings", () => {
  expect(encoded(requestOf({ stop: ["a", "b"] })).body.stop_sequences).toEqual(["a", "b"])
  expect(encoded(requestOf({ stop: [] })).body).not.toHaveProperty("stop_sequences")
})

describe("the Cohere thinking encoder", () => {
  test("sends no thinking options unless the caller sets an effort or a budget", () => {
    expect(encoded(requestOf()).body).not.toHaveProperty("thinking")
    expect(encoded(requestOf({ reasoning: { summary: "auto" } })).body).not.toHaveProperty(
      "thinking",
    )
  })

  test('turns thinking off for an effort of "none" and for a budget of zero', () => {
    for (const reasoning of [{ effort: "none" }, { budget: 0 }]) {
      expect(encoded(requestOf({ reasoning })).body.thinking).toEqual({ type: "disabled" })
    }
  })

  test("sends a budget unchanged and converts an effort to a share of the output limit", () => {
    const thinkingOf = (reasoning: object) =>
      encoded(requestOf({ reasoning, maxTokens: 10_000 })).body.thinking
    expect(thinkingOf({ budget: 2048 })).toEqual({ type: "enabled", token_budget: 2048 })
    expect(thinkingOf({ effort: "medium" })).toEqual({ type: "enabled", token_budget: 5000 })
    expect(thinkingOf({ isAdaptive: true })).toEqual({ type: "enabled" })
    expect(thinkingOf({ effort: "extreme" })).toEqual({ type: "enabled" })
  })
})

describe("the Cohere tool encoder", () => {
  test("uses OpenAI's tool format with a schema and without `strict`", () => {
    const { body, losses } = encoded(requestOf({ tools: [WEATHER, CLOCK] }))
    expect(body.tools).toEqual([
      {
        type: "function",
        function: {
          name: "weather",
          description: "Weather of a city",
          parameters: PARAMETERS,
        },
      },
      {
        type: "function",
        function: { name: "clock", parameters: { type: "object", properties: {} } },
      },
    ])
    expect(body).not.toHaveProperty("strict_tools")
    expect(body).not.toHaveProperty("tool_choice")
    expect(losses).toEqual([])
  })

  test("makes all tools strict if every tool is strict and has a required parameter", () => {
    const strict = { ...WEATHER, strict: true }
    expect(encoded(requestOf({ tools: [strict] }))).toMatchObject({
      body: { strict_tools: true },
      losses: [],
    })
    for (const other of [WEATHER, { ...CLOCK, strict: true }]) {
      const { body, losses } = encoded(requestOf({ tools: [strict, other] }))
      expect(body).not.toHaveProperty("strict_tools")
      expect(losses).toEqual(["tools.strict:dropped"])
    }
  })

  test("sends only the tool that the caller chose", () => {
    const chosen = (toolChoice: ToolChoice) =>
      encoded(requestOf({ tools: [WEATHER, CLOCK], toolChoice }))
    expect(chosen({ type: "auto" }).body).not.toHaveProperty("tool_choice")
    expect(chosen({ type: "none" })).toMatchObject({ body: { tool_choice: "NONE" }, losses: [] })
    expect(chosen({ type: "required" })).toMatchObject({
      body: { tool_choice: "REQUIRED" },
      losses: [],
    })
    const named = chosen({ type: "tool", name: "clock" })
    expect(named.body.tool_choice).toBe("REQUIRED")
    expect(named.body.tools).toHaveLength(1)
    expect(named.body).toMatchObject({ tools: [{ function: { name: "clock" } }] })
    expect(named.losses).toEqual(["tool_choice:approximated"])
    expect(chosen({ type: "tool", name: "nobody" }).body.tools).toHaveLength(2)
  })

  test("drops the tool choice of an empty list of tools", () => {
    const { body } = encoded(requestOf({ tools: [], toolChoice: { type: "none" } }))
    expect(body).not.toHaveProperty("tools")
    expect(body).not.toHaveProperty("tool_choice")
  })

  test("reports parallel_tool_calls: false as lost", () => {
    const tools = [WEATHER]
    expect(encoded(requestOf({ tools, parallelToolCalls: true })).losses).toEqual([])
    expect(encoded(requestOf({ tools, parallelToolCalls: false })).losses).toEqual([
      "parallel_tool_calls:dropped",
    ])
  })
})

describe("the Cohere response format encoder", () => {
  const schema = { type: "object", properties: { name: { type: "string" } } }

  test("sends a JSON format with or without a schema", () => {
    const formatOf = (responseFormat: Parameters<typeof requestOf>[0]) =>
      encoded(requestOf(responseFormat)).body.response_format
    expect(formatOf({ responseFormat: { type: "text" } })).toBeUndefined()
    expect(formatOf({ responseFormat: { type: "json-object" } })).toEqual({ type: "json_object" })
    expect(formatOf({ responseFormat: { type: "json-schema", name: "person", schema } })).toEqual({
      type: "json_object",
      json_schema: schema,
    })
    expect(formatOf({ responseFormat: { type: "json-schema", name: "person" } })).toEqual({
      type: "json_object",
    })
  })

  test("sends an instruction if there are tools, because Cohere rejects a format together with tools", () => {
    const { body, losses } = encoded(
      requestOf({
        tools: [WEATHER],
        responseFormat: { type: "json-schema", name: "person", schema },
      }),
    )
    expect(body).not.toHaveProperty("response_format")
    const [instruction] = body.messages as { role: string; content: string }[]
    expect(instruction?.role).toBe("system")
    expect(instruction?.content).toContain(JSON.stringify(schema))
    expect(losses).toEqual(["json_schema:approximated"])
  })
})

test("the Cohere encoder reports the names of other dialects' fields as lost, at every level", () => {
  const extra = (name: string) => ({ dialect: "openai-chat" as const, fields: { [name]: 1 } })
  const { losses } = encoded(
    requestOf({
      messages: [
        { ...user({ type: "text", text: "Hi", extra: extra("of_text") }), extra: extra("of_turn") },
        assistant({ ...CALL, extra: extra("of_call") }, { type: "unknown", extra: extra("part") }),
      ],
      tools: [{ ...WEATHER, extra: extra("of_tool") }],
      extra: extra("logit_bias"),
    }),
  )
  expect(losses).toEqual(
    ["of_tool", "of_turn", "of_text", "of_call", "part", "logit_bias"].map(
      (name) => `${name}:dropped`,
    ),
  )
})
