import { describe, expect, test } from "bun:test"
import type { ChatRequest, ResponseFormat } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { isStructuredSchema } from "../../../src/dialects/bedrock-converse/schema.ts"
import { unusedAnswerTool } from "../../../src/dialects/shared/schema.ts"
import { threadTime } from "../../support/processor-time.ts"
import { restored } from "../restored-dialect.ts"
import { chunkRecordings, decode as decodeBy, frame, request } from "./fixtures.ts"
import { HAS_FIXTURES, WITHOUT_FIXTURES } from "../../support/recordings.ts"

const CLOSED = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
}
const OPEN = { type: "object", properties: { city: { type: "string" } } }
const SONNET_4 = "us.anthropic.claude-sonnet-4-20250514-v1:0"
const LLAMA = "us.meta.llama4-scout-17b-instruct-v1:0"

function schema(schema: JsonObject | undefined, more: object = {}): ResponseFormat {
  return {
    type: "json-schema",
    name: "place",
    ...(schema === undefined ? {} : { schema }),
    ...more,
  }
}

function encode(more: Partial<ChatRequest>): { body: JsonObject; losses: string[] } {
  const { body, losses } = BEDROCK_CONVERSE.encodeRequest(request(more))
  return { body, losses: losses.map(({ name, effect }) => `${name}:${effect}`) }
}

describe("the Bedrock schema encoder", () => {
  test("sends an output format if the model supports output formats and the schema", () => {
    const { body, losses } = encode({ responseFormat: schema(CLOSED, { description: "A place" }) })
    expect(body.outputConfig).toEqual({
      textFormat: {
        type: "json_schema",
        structure: {
          jsonSchema: { schema: JSON.stringify(CLOSED), name: "place", description: "A place" },
        },
      },
    })
    expect(body).not.toHaveProperty("toolConfig")
    expect(losses).toEqual([])
  })

  test("sends a response tool if the model accepts a required call", () => {
    for (const more of [
      { responseFormat: schema(OPEN) },
      { model: SONNET_4, responseFormat: schema(CLOSED) },
    ]) {
      const { body, losses } = encode(more)
      expect(body).not.toHaveProperty("outputConfig")
      expect(body.toolConfig).toMatchObject({
        tools: [{ toolSpec: { name: "json_answer" } }],
        toolChoice: { tool: { name: "json_answer" } },
      })
      expect(losses).toEqual(["json_schema:approximated"])
    }
  })

  test("requires a call to any tool if the caller has tools", () => {
    const { body } = encode({ responseFormat: schema(OPEN), tools: [{ name: "look" }] })
    expect(body.toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: "look" } }, { toolSpec: { name: "json_answer" } }],
      toolChoice: { any: {} },
    })
  })

  test("declares only the response tool if no tools may be called", () => {
    const { body, losses } = encode({
      responseFormat: schema(OPEN),
      tools: [{ name: "look" }],
      toolChoice: { type: "none" },
    })
    expect(body.toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: "json_answer" } }],
      toolChoice: { tool: { name: "json_answer" } },
    })
    expect(losses).toEqual(["json_schema:approximated"])
  })

  test("gives the response tool a name that none of the caller's tools has", () => {
    const { body } = encode({ responseFormat: schema(OPEN), tools: [{ name: "json_answer" }] })
    expect(body.toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: "json_answer" } }, { toolSpec: { name: "json_answer_" } }],
    })
  })

  test("quickly finds an unused tool name among thousands of similar names", () => {
    const tools = Array.from({ length: 7_000 }, (_, index) => ({
      name: `json_answer${"_".repeat(index)}`,
    }))
    expect(threadTime(() => unusedAnswerTool(tools), 100)).toBeLessThan(100)
    expect(unusedAnswerTool(tools)).toHaveLength("json_answer".length + 7_000)
  })

  test("sends an instruction if a tool call is required", () => {
    const { body, losses } = encode({
      responseFormat: schema(OPEN),
      tools: [{ name: "look" }],
      toolChoice: { type: "required" },
    })
    expect(body.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "look" } }] })
    expect(losses).toEqual(["json_schema:approximated"])
  })

  test("sends an instruction if the model supports neither an output format nor tools", () => {
    const list = { type: "array", items: { type: "string", maxLength: 3 } }
    for (const [more, words] of [
      [{ model: LLAMA, responseFormat: schema(CLOSED) }, JSON.stringify(CLOSED)],
      [{ responseFormat: schema(list) }, JSON.stringify(list)],
      [{ responseFormat: schema(undefined) }, "JSON object"],
    ] as const) {
      const { body, losses } = encode(more)
      expect(body).not.toHaveProperty("toolConfig")
      expect((body.system as { text: string }[]).at(-1)!.text).toContain(words)
      expect(losses).toEqual(["json_schema:approximated"])
    }
  })

  test("sends an instruction for any JSON object after the caller's own instructions", () => {
    const { body, losses } = encode({
      messages: [
        { role: "system", parts: [{ type: "text", text: "Be brief" }] },
        { role: "user", parts: [{ type: "text", text: "Hello" }] },
      ],
      responseFormat: { type: "json-object" },
    })
    expect(body.system).toMatchObject([{ text: "Be brief" }, {}])
    expect(losses).toEqual(["json_object:approximated"])
  })

  test("adds nothing for plain text", () => {
    expect(encode({ responseFormat: { type: "text" } })).toEqual(encode({}))
  })
})

describe("the check whether Bedrock's output format supports a schema", () => {
  const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: "object",
    properties,
    additionalProperties: false,
    ...more,
  })

  test.each<[string, JsonObject, boolean]>([
    ["closed objects", CLOSED, true],
    ["an open object", OPEN, false],
    ["an object that allows additional properties", { ...OPEN, additionalProperties: true }, false],
    ["an open object inside", object({ a: OPEN }), false],
    ["an open object in a list", object({ a: { type: "array", items: OPEN } }), false],
    ["an open object in anyOf", object({ a: { anyOf: [{ type: "null" }, OPEN] } }), false],
    [
      "an open object that can be null",
      object({ a: { ...OPEN, type: ["object", "null"] } }),
      false,
    ],
    ["a limit of a number", object({ a: { type: "integer", minimum: 1 } }), false],
    ["a limit of a length", object({ a: { type: "string", maxLength: 1 } }), false],
    ["a limit of a list", object({ a: { type: "array", maxItems: 3 } }), false],
    ["a nonempty list", object({ a: { type: "array", minItems: 1 } }), true],
    ["a list of at least two", object({ a: { type: "array", minItems: 2 } }), false],
    ["names that look like limits", object({ minimum: { type: "string" } }), true],
    ["values that look like schemas", object({ a: { enum: [{ type: "object" }] } }), true],
    [
      "a referenced definition",
      object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: { type: "string" } } }),
      true,
    ],
    [
      "a nested definition",
      object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: { $ref: "#/$defs/b" } } }),
      false,
    ],
    ["a reference to itself", object({ a: { $ref: "#" } }), false],
    ["a reference to another document", object({ a: { $ref: "https://a.example/b" } }), false],
  ])("accepts or rejects %s", (_, given, expected) => {
    expect(isStructuredSchema(given)).toBe(expected)
  })
})

describe("the Bedrock decoder of a structured response", () => {
  const decode = (frames: readonly SseFrame[], by: ChatRequest) =>
    decodeBy(frames, by, restored(BEDROCK_CONVERSE))
  const asked = request({ responseFormat: schema(OPEN), tools: [{ name: "look" }] })
  const start = (index: number, name: string) =>
    frame("contentBlockStart", {
      contentBlockIndex: index,
      start: { toolUse: { toolUseId: `t${index}`, name } },
    })
  const delta = (index: number, chunk: JsonObject) =>
    frame("contentBlockDelta", { contentBlockIndex: index, delta: chunk })
  const stop = (reason: string) => frame("messageStop", { stopReason: reason })

  test("returns the arguments of the response tool, and drops the text before the call", () => {
    const frames = [
      delta(0, { text: "Here you are:" }),
      frame("contentBlockStop", { contentBlockIndex: 0 }),
      start(1, "json_answer"),
      delta(1, { toolUse: { input: '{"city":' } }),
      delta(1, { toolUse: { input: '"Rome"}' } }),
      frame("contentBlockStop", { contentBlockIndex: 1 }),
      stop("tool_use"),
    ]
    expect(decode(frames, asked)).toEqual([
      { type: "start" },
      { type: "text-delta", choice: 0, text: '{"city":' },
      { type: "text-delta", choice: 0, text: '"Rome"}' },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test("returns an empty object for a call without arguments", () => {
    const frames = [start(0, "json_answer"), stop("tool_use")]
    expect(foldEvents(decode(frames, asked)).choices[0]?.parts).toEqual([
      { type: "text", text: "{}" },
    ])
  })

  test("keeps a call to the caller's tool and the text before it", () => {
    const frames = [delta(0, { text: "Let me look." }), start(1, "look"), stop("tool_use")]
    expect(decode(frames, asked).slice(1)).toEqual([
      { type: "text-delta", choice: 0, text: "Let me look." },
      { type: "tool-call-start", choice: 0, call: 0, id: "t1", name: "look" },
      { type: "finish", choice: 0, reason: "tool-calls" },
    ])
  })

  test("returns the text if the model does not call the response tool", () => {
    const frames = [delta(0, { text: '{"city":' }), delta(0, { text: '"Rome"}' }), stop("end_turn")]
    expect(decode(frames, asked).slice(1)).toEqual([
      { type: "text-delta", choice: 0, text: '{"city":"Rome"}' },
      { type: "finish", choice: 0, reason: "stop" },
    ])
    const broken = decode(frames.slice(0, 2), asked)
    expect(broken.at(-1)).toMatchObject({ text: '{"city":"Rome"}' })
  })

  test("returns the arguments of the response tool if the response is not streamed", () => {
    const body = {
      output: {
        message: {
          content: [
            { text: "Here you are:" },
            { toolUse: { toolUseId: "t", name: "json_answer", input: { city: "Rome" } } },
          ],
        },
      },
      stopReason: "tool_use",
    }
    expect(restored(BEDROCK_CONVERSE).decodeResult(body, asked).choices).toEqual([
      {
        index: 0,
        parts: [{ type: "text", text: '{"city":"Rome"}' }],
        finish: "stop",
      },
    ])
  })

  test("keeps a call to a caller's tool that has the name of the response tool", () => {
    const frames = [start(0, "json_answer"), stop("tool_use")]
    const own = request({ tools: [{ name: "json_answer" }] })
    expect(decode(frames, own)[1]).toMatchObject({ type: "tool-call-start", name: "json_answer" })
  })

  test("returns the text unchanged if the request has an output format", () => {
    const structured = request({ responseFormat: schema(CLOSED) })
    expect(decode([delta(0, { text: "{" })], structured)[1]).toMatchObject({ text: "{" })
  })

  test.skipIf(!HAS_FIXTURES)(
    `decodes recorded calls to the response tool as text${WITHOUT_FIXTURES}`,
    () => {
      const recorded = chunkRecordings().filter(({ name }) => name.includes("json-tool."))
      expect(recorded.length).toBeGreaterThan(2)
      for (const { frames } of recorded) {
        // The frames were recorded with another tool name.
        const renamed = frames.map(({ event = "", data }) =>
          frame(event, JSON.parse(data.replace('"name":"json"', '"name":"json_answer"'))),
        )
        const { choices } = foldEvents(decode(renamed, asked))
        expect(choices[0]?.finish).toBe("stop")
        const [part] = choices[0]!.parts
        expect(part?.type).toBe("text")
        expect(() => JSON.parse((part as { text: string }).text)).not.toThrow()
      }
    },
  )
})
