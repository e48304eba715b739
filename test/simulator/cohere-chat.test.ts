import { describe, expect, test } from "bun:test"
import { type Cohere, CohereError } from "cohere-ai"
import {
  type SimulatedResponse,
  responseTo,
  ask,
  CLOCK,
  framesOf,
  PATH,
  rejectionOf,
  TOOLS,
  withCohere,
} from "./cohere-chat-support.ts"
import { LONG_TEXT, SMALL_PNG } from "./format-server.ts"
import { failureOf } from "./support.ts"

const TEXT = "one two six ten"

test("the official Cohere client reads a simulated response without streaming", async () => {
  await using server = withCohere()
  const messages: Cohere.ChatMessageV2[] = [{ role: "user", content: "hello there" }]
  const response = await server.client.chat({ model: "echo", messages })
  expect(response.message.content).toEqual([{ type: "text", text: "hello there" }])
  expect(response.finishReason).toBe("COMPLETE")
  expect(response.usage?.tokens?.inputTokens).toBe(
    (response.usage?.billedUnits?.inputTokens ?? 0) + 495,
  )
})

test("the official Cohere client reads a simulated stream", async () => {
  await using server = withCohere()
  const messages: Cohere.ChatMessageV2[] = [{ role: "user", content: TEXT }]
  const stream = await server.client.chatStream({ model: "echo", messages })
  let text = ""
  const types: string[] = []
  for await (const event of stream) {
    types.push(event.type)
    if (event.type === "content-delta") text += event.delta?.message?.content?.text ?? ""
  }
  expect(text).toBe(TEXT)
  expect([...new Set(types)]).toEqual([
    "message-start",
    "content-start",
    "content-delta",
    "content-end",
    "message-end",
  ])
})

test("the official Cohere client throws a CohereError for a simulated error", async () => {
  await using server = withCohere()
  const messages: Cohere.ChatMessageV2[] = [{ role: "user", content: "hi" }]
  const failure = await failureOf(server.client.chat({ model: "fault-400-policy", messages }))
  expect(failure).toBeInstanceOf(CohereError)
  expect(failure).toMatchObject({ statusCode: 498 })
})

describe("a simulated Cohere response", () => {
  test("stops at a stop sequence and at the limit", async () => {
    const stopped = await responseTo(ask("red green blue", { stop_sequences: ["blue"] }))
    expect(stopped.finish_reason).toBe("STOP_SEQUENCE")
    expect(stopped.message.content).toEqual([{ type: "text", text: "red green " }])
    const cut = await responseTo(ask("/tokens 50", { max_tokens: 3 }))
    expect(cut.finish_reason).toBe("MAX_TOKENS")
    expect(cut.usage.billed_units.output_tokens).toBe(3)
  })

  test("contains JSON on request", async () => {
    const object = await responseTo(ask("hi", { response_format: { type: "json_object" } }))
    expect(JSON.parse(object.message.content?.[0]?.text ?? "")).toEqual({ echo: "hi" })
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
    const format = { type: "json_object", json_schema: schema }
    const shaped = await responseTo(ask("hi", { response_format: format }))
    expect(JSON.parse(shaped.message.content?.[0]?.text ?? "")).toEqual({ name: "name" })
  })

  test("contains thinking on request, and counts thinking as output", async () => {
    const thinking = { type: "enabled", token_budget: 320 }
    const { message, usage } = await responseTo(ask("hi", { thinking }))
    expect(message.content?.map((block) => block.type)).toEqual(["thinking", "text"])
    expect(message.content?.[0]?.thinking).toContain("hi")
    expect(usage.tokens.reasoning_tokens).toBe(10)
    expect(usage.billed_units.output_tokens).toBe(11)
    const plain = await responseTo(ask("hi", { thinking: { type: "disabled" } }))
    expect(plain.message.content).toHaveLength(1)
  })

  test("counts images separately from the input", async () => {
    const url = `data:image/png;base64,${SMALL_PNG}`
    const content = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url } },
    ]
    const { message, usage } = await responseTo(ask("", { messages: [{ role: "user", content }] }))
    expect(message.content?.[0]?.text).toBe("look\n[image 8x8 png]")
    const { input_tokens: input = 0, image_tokens: images = 0 } = usage.tokens
    expect(images).toBeGreaterThan(0)
    expect(input + images).toBe(usage.billed_units.input_tokens + 495)
  })

  test("reports a repeated prompt as cached tokens", async () => {
    await using server = withCohere()
    const asked = async () => {
      const response = await server.post(PATH, ask(LONG_TEXT, { max_tokens: 1 }))
      return ((await response.json()) as SimulatedResponse).usage
    }
    expect((await asked()).cached_tokens).toBe(0)
    const again = await asked()
    expect(again.cached_tokens).toBeGreaterThanOrEqual(1024)
    expect(again.cached_tokens).toBeLessThanOrEqual(again.tokens.input_tokens ?? 0)
  })
})

describe("the Cohere simulator with tools", () => {
  test("calls tools that the text names after a plan, and writes null for a tool without arguments", async () => {
    const { message, finish_reason: finish } = await responseTo(
      ask("get_time and get_weather", { tools: TOOLS }),
    )
    expect(finish).toBe("TOOL_CALL")
    expect(message.content).toBeUndefined()
    expect(message.tool_plan).toBe("I will use get_time and get_weather.")
    expect(message.tool_calls?.map((call) => call.function)).toEqual([
      { name: "get_time", arguments: "null" },
      { name: "get_weather", arguments: '{"city":"city"}' },
    ])
    expect(message.tool_calls?.[0]?.id).toMatch(/^get_time_[0-9a-z]{12}$/)
  })

  test("calls a tool if a call is required, and no tool if calls are forbidden", async () => {
    const required = await responseTo(ask("hello", { tools: TOOLS, tool_choice: "REQUIRED" }))
    expect(required.message.tool_calls?.[0]?.function.name).toBe("get_weather")
    const none = await responseTo(ask("get_time", { tools: TOOLS, tool_choice: "NONE" }))
    expect(none.message.tool_calls).toBeUndefined()
  })

  test("writes thinking instead of a plan before calls if thinking is enabled", async () => {
    const body = ask("get_time", { tools: TOOLS, thinking: { type: "enabled" } })
    const { message } = await responseTo(body)
    expect(message.tool_plan).toBeUndefined()
    expect(message.content?.map((block) => block.type)).toEqual(["thinking"])
  })

  test("cites tool results in the next response", async () => {
    const call = (id: string) => ({
      id,
      type: "function",
      function: { name: "get_time", arguments: "{}" },
    })
    const messages = [
      { role: "user", content: "get_time" },
      { role: "assistant", tool_plan: "I will.", tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "noon" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "midnight" }] },
    ]
    const { message } = await responseTo(ask("", { messages, tools: TOOLS }))
    const text = message.content?.[0]?.text ?? ""
    expect(text).toBe("The tools answered: noon; midnight")
    expect(message.citations?.map(({ start, end }) => text.slice(start, end))).toEqual([
      "noon",
      "midnight",
    ])
    expect(message.citations?.[0]).toMatchObject({
      sources: [{ type: "tool", id: "a:0", tool_output: { content: "noon" } }],
    })
  })

  test("streams calls as objects with an index", async () => {
    await using server = withCohere()
    const body = ask("get_time and get_weather", { tools: TOOLS, stream: true })
    const frames = framesOf(await (await server.post(PATH, body)).text())
    const calls = frames.filter(({ type }) => String(type).startsWith("tool-call"))
    expect(calls.map(({ type, index }) => `${type} ${index}`).slice(0, 4)).toEqual([
      "tool-call-start 0",
      "tool-call-end 0",
      "tool-call-start 1",
      "tool-call-delta 1",
    ])
    expect(calls[0]).toMatchObject({
      delta: { message: { tool_calls: { function: { name: "get_time", arguments: "" } } } },
    })
  })
})

describe("Cohere simulator validation", () => {
  const user = { role: "user", content: "hi" }
  const call = { id: "a", type: "function", function: { name: "get_time", arguments: "{}" } }
  const CASES: [string, Record<string, unknown>, number, string][] = [
    ["an unknown field", { n: 2 }, 422, "unknown field: parameter 'n' is not a valid field."],
    [
      "a strict tool",
      { tools: [{ ...CLOCK, function: { ...CLOCK.function, strict: true } }] },
      422,
      "unknown field: parameter 'strict' is not a valid field.",
    ],
    [
      "a parameter of another type",
      { temperature: "hot" },
      400,
      "parameter temperature is of type string",
    ],
    ["heat", { temperature: 1.5 }, 400, "temperature must be between 0 and 1.0 inclusive."],
    ["top_p of 1", { p: 1 }, 400, "p must be between 0.01 and 0.99 inclusive."],
    [
      "both penalties",
      { frequency_penalty: 0.5, presence_penalty: 0.5 },
      400,
      "cannot specify both frequency_penalty and presence_penalty.",
    ],
    ["many stops", { stop_sequences: [..."abcdef"] }, 400, "at most 5"],
    ["no messages", { messages: [] }, 400, "message must be at least 1 token long"],
    [
      "an empty message",
      { messages: [{ ...user, content: "" }] },
      400,
      "must not be empty in a turn",
    ],
    [
      "an unknown role",
      { messages: [{ ...user, role: "developer" }] },
      400,
      "Invalid role in messages",
    ],
    [
      "instructions after the first message",
      { messages: [user, { role: "system", content: "Be kind." }] },
      400,
      "system turn must be the first in the list",
    ],
    [
      "an unknown content type",
      { messages: [{ role: "user", content: [{ type: "file", file: {} }] }] },
      400,
      "content of type 'file' is not valid",
    ],
    [
      "a result for an unknown call",
      { messages: [user, { role: "tool", tool_call_id: "a", content: "x" }] },
      400,
      "tool call id not found in previous tool calls",
    ],
    [
      "a result without a call id",
      { messages: [user, { role: "tool", content: "x" }] },
      400,
      "tool call id must be provided with tool message",
    ],
    [
      "a call without a result",
      { messages: [user, { role: "assistant", tool_calls: [call] }, user] },
      400,
      "did not have response messages: a",
    ],
    [
      "two calls of one id",
      { messages: [user, { role: "assistant", tool_calls: [call, call] }] },
      400,
      "cannot have duplicate tool ids",
    ],
    [
      "a name with a dash",
      { tools: [{ ...CLOCK, function: { ...CLOCK.function, name: "get-time" } }] },
      400,
      "(provided name: 'get-time')",
    ],
    ["a choice without tools", { tool_choice: "NONE" }, 400, "requires tools"],
    ["an unknown tool choice", { tools: TOOLS, tool_choice: "AUTO" }, 400, "'REQUIRED', or 'NONE'"],
    [
      "strict tools without required parameters",
      { tools: TOOLS, strict_tools: true },
      400,
      "at least one required",
    ],
    [
      "JSON together with tools",
      { tools: TOOLS, response_format: { type: "json_object" } },
      400,
      "response_format is not supported with tools.",
    ],
    [
      "an unknown answer format",
      { response_format: { type: "json_schema" } },
      400,
      "'json_object'",
    ],
    [
      "a thinking budget of zero",
      { thinking: { type: "enabled", token_budget: 0 } },
      400,
      "positive integer",
    ],
  ]
  for (const [name, more, status, words] of CASES) {
    test(`rejects ${name}`, async () => {
      const [told, message] = await rejectionOf(ask("hi", more))
      expect(message).toContain(words)
      expect(told).toBe(status)
    })
  }

  test("rejects invalid credentials, models and bodies", async () => {
    expect(await rejectionOf(ask("hi"), { authorization: "" })).toEqual([
      401,
      "no api key supplied",
    ])
    const [status, message] = await rejectionOf(ask("hi"), { authorization: "Bearer wrong" })
    expect(status).toBe(401)
    expect(message).toStartWith("Incorrect API key provided")
    expect((await rejectionOf(ask("hi", { model: "nobody" })))[0]).toBe(404)
    expect((await rejectionOf(ask("hi", { model: undefined })))[1]).toContain("a model parameter")
    expect((await rejectionOf("{"))[1]).toStartWith("invalid json syntax")
    expect((await rejectionOf(ask("hi"), { "x-simulate-fault": "mistyped" }))[0]).toBe(400)
    expect((await responseTo(ask("hi", { model: "command-a-03-2025" }))).finish_reason).toBe(
      "COMPLETE",
    )
  })
})
