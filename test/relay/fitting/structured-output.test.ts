import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { FittedWorld, FORMATS, type Format, formatIn } from "./fitted-world.ts"

let world: FittedWorld

beforeAll(async () => {
  world = await FittedWorld.start({
    "m/gpt": ["openai", "gpt-4.1"],
    "m/gpt-responses": ["openai", "gpt-5.4"],
    "m/old-gpt": ["openai", "gpt-4"],
    "m/claude": ["anthropic", "claude-sonnet-4-5"],
    "m/old-claude": ["anthropic", "claude-sonnet-4-20250514"],
    "m/deepseek": ["deepseek", "deepseek-chat"],
    "m/llama": ["groq", "llama-3.3-70b-versatile"],
    "m/glm": ["zai", "glm-4.6"],
    "m/sonar": ["perplexity", "sonar"],
    "m/grok": ["xai", "grok-4"],
  })
})

beforeEach(() => {
  world.script = { text: '{"n":3}' }
})

afterAll(() => world[Symbol.asyncDispose]())

const NUMBER = { type: "integer", minimum: 1, maximum: 5 }
const BOUNDED = {
  type: "object",
  properties: { n: NUMBER },
  required: ["n"],
  additionalProperties: false,
}
const LIST = {
  type: "array",
  items: { $ref: "#/$defs/item" },
  $defs: { item: { type: "string" } },
}
const ALL = FORMATS.flatMap((format) =>
  [false, true].map((stream): [Format, boolean] => [format, stream]),
)
const STOPPED = ["stop", "end_turn", "completed", "STOP"]

describe.each(ALL)("encoding of structured output at %s, streamed: %p", (format, stream) => {
  // Callers with OpenAI's formats know which schemas OpenAI accepts, so theirs are not changed.
  const isOpenAi = format === "chat" || format === "responses"
  const ask = (model: string, schema: object) => world.ask(format, model, { schema }, { stream })

  test.each(["m/deepseek", "m/glm", "m/llama"])(
    "sends an instruction to %s, which supports JSON responses but no schemas",
    async (model) => {
      const { sent, losses, text } = await ask(model, BOUNDED)
      expect(formatIn(sent.body)).toEqual({ type: "json_object" })
      const [first, second] = (sent.body.messages ?? sent.body.input) as JsonObject[]
      expect(first?.role).toBe("system")
      expect(first?.content).toContain(JSON.stringify(NUMBER))
      expect(second?.role).toBe("user")
      expect(losses).toContain("json_schema:approximated")
      expect(text).toBe('{"n":3}')
    },
  )

  test("wraps a list in an object for a vendor that requires objects, and unwraps the list in the response", async () => {
    world.script = { text: '{ "answer": ["a}", {"b":{}}] }\n' }
    if (isOpenAi) return
    const { sent, losses, text } = await ask("m/gpt", LIST)
    expect(formatIn(sent.body)?.schema).toEqual({
      type: "object",
      properties: { answer: { type: "array", items: { $ref: "#/$defs/item" } } },
      required: ["answer"],
      additionalProperties: false,
      $defs: { item: { type: "string" } },
    })
    expect(losses).toContain("json_schema:emulated")
    expect(JSON.parse(text)).toEqual(["a}", { b: {} }])
  })

  test("wraps a list in the instruction, and accepts a response that is not wrapped", async () => {
    world.script = { text: '{"answer":["a"]}' }
    const wrapped = await ask("m/deepseek", LIST)
    expect(formatIn(wrapped.sent.body)).toEqual({ type: "json_object" })
    expect(wrapped.text).toBe('["a"]')
    world.script = { text: '["a"]' }
    expect((await ask("m/deepseek", LIST)).text).toBe('["a"]')
    world.script = { text: '{"ans' }
    expect((await ask("m/deepseek", LIST)).text).toBe('{"ans')
  })

  test("moves constraints that Claude rejects into the description", async () => {
    if (format === "messages") return
    const { sent, losses, text } = await ask("m/claude", BOUNDED)
    expect(sent.body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          ...BOUNDED,
          properties: { n: { type: "integer", description: "{minimum: 1, maximum: 5}" } },
        },
      },
    })
    expect(losses).toContain("json_schema:approximated")
    expect(text).toBe('{"n":3}')
  })

  test.each([
    ["contains itself", { type: "object", properties: { next: { $ref: "#" } } }],
    [
      "has arbitrary members",
      {
        type: "object",
        properties: { map: { type: "object", additionalProperties: { type: "string" } } },
      },
    ],
  ])(
    "requests a tool call from Claude if the schema %s, and converts the call into the response",
    async (_, schema) => {
      if (format === "messages") return
      world.script = { text: "Thinking...", calls: [{ name: "json_answer", arguments: '{"n":3}' }] }
      const { sent, losses, text, calls, finish } = await ask("m/claude", schema)
      expect(sent.body).not.toHaveProperty("output_config")
      expect(sent.body.tools).toMatchObject([{ name: "json_answer", input_schema: schema }])
      expect(sent.body.tool_choice).toMatchObject({ type: "tool", name: "json_answer" })
      expect(losses).toContain("json_schema:approximated")
      expect({ response: JSON.parse(text), calls }).toEqual({ response: { n: 3 }, calls: [] })
      expect(STOPPED).toContain(finish)
    },
  )

  test("wraps a list as tool input for Claude models without structured output", async () => {
    if (format === "messages") return
    world.script = { calls: [{ name: "json_answer", arguments: '{"answer":["a"]}' }] }
    const { sent, text } = await ask("m/old-claude", LIST)
    expect(sent.body.tools).toMatchObject([
      { input_schema: { type: "object", properties: { answer: { type: "array" } } } },
    ])
    expect(JSON.parse(text)).toEqual(["a"])
  })

  test("sends an instruction to a model without JSON output formats", async () => {
    if (isOpenAi) return
    const { sent, losses } = await ask("m/old-gpt", BOUNDED)
    expect(sent.body).not.toHaveProperty("response_format")
    expect(sent.body.messages).toMatchObject([{ role: "system" }, { role: "user" }])
    expect(losses).toContain("json_schema:approximated")
  })

  test("does not change a schema that the vendor accepts", async () => {
    for (const model of ["m/gpt", "m/grok", "m/sonar"]) {
      const { sent, losses } = await ask(model, BOUNDED)
      expect(formatIn(sent.body)?.schema).toEqual(BOUNDED)
      expect(losses).not.toContain("json_schema")
    }
  })
})

test("OpenAI's own strict schemas are sent to OpenAI unchanged", async () => {
  const { sent, losses } = await world.ask("chat", "m/gpt", { schema: LIST }, { stream: false })
  expect(formatIn(sent.body)?.schema).toEqual(LIST)
  expect(losses).toBe("")
})

test("keywords that the vendor rejects are removed from the schema of a strict tool", async () => {
  const tools = [{ name: "f", strict: true }]
  const parameters = { type: "object", properties: { n: NUMBER }, required: ["n"] }
  const claude = await world.ask("chat", "m/claude", { tools, parameters }, { stream: false })
  expect(claude.sent.body.tools).toMatchObject([
    {
      strict: true,
      input_schema: {
        properties: { n: { type: "integer", description: "{minimum: 1, maximum: 5}" } },
      },
    },
  ])
  expect(claude.losses).toBe("tools.strict:approximated")
  const optional = { type: "object", properties: { n: NUMBER } }
  const gpt = await world.ask(
    "messages",
    "m/gpt",
    { tools, parameters: optional },
    { stream: false },
  )
  expect(gpt.sent.body.tools).toMatchObject([{ function: { strict: false } }])
  expect(gpt.losses).toBe("tools.strict:dropped")
})

test("a request for any JSON object becomes an instruction for models without a JSON output format", async () => {
  const body = {
    model: "m/sonar",
    messages: [{ role: "user", content: "Go on." }],
    response_format: { type: "json_object" },
  }
  const { sent, losses } = await world.post("/v1/chat/completions", body)
  expect(sent.body).not.toHaveProperty("response_format")
  expect(sent.body.messages).toMatchObject([
    { role: "system", content: expect.stringContaining("one JSON object") },
    { role: "user" },
  ])
  expect(losses).toBe("json_object:approximated")
})

test("a strict caller gets an error if the schema would become an instruction", async () => {
  const body = {
    model: "m/deepseek",
    messages: [{ role: "user", content: "Go on." }],
    response_format: { type: "json_schema", json_schema: { name: "r", schema: BOUNDED } },
  }
  const response = await world.request("/v1/chat/completions", body, {
    "x-tollgate-strict": "true",
  })
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining("json_schema"),
  ])
})

test.each(["m/gpt", "m/deepseek", "m/llama"])(
  "%s gets an instruction to answer in JSON if no message contains the word JSON",
  async (model) => {
    const path = `/v1beta/models/${model}:generateContent`
    const generationConfig = { responseMimeType: "application/json" }
    const asked = (text: string) => ({
      contents: [{ role: "user", parts: [{ text }] }],
      generationConfig,
    })
    const { sent, losses } = await world.post(path, asked("A list, please."))
    expect(sent.body.response_format).toEqual({ type: "json_object" })
    expect(sent.body.messages).toMatchObject([
      { role: "system", content: expect.stringContaining("JSON") },
      { role: "user" },
    ])
    expect(losses).toBe("")
    const told = await world.post(path, asked("A list as JSON, please."))
    expect(told.sent.body.messages).toMatchObject([{ role: "user" }])
  },
)
