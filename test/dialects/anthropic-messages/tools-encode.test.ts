import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { Part } from "../../../src/canon/message.ts"
import { encode, encodeParts, text } from "./encoded-request.ts"

describe("the Anthropic encoder of other parts", () => {
  test("converts refusals to text, and drops citations that are not Anthropic's", () => {
    expect(encodeParts("assistant", { type: "refusal", text: "No." })).toEqual({
      content: "No.",
      losses: ["refusal:approximated"],
    })
    const own = { type: "char_location", cited_text: "x" }
    const citations = [
      { extra: { dialect: "anthropic-messages" as const, fields: own } },
      { url: "https://example.com" },
    ]
    expect(encodeParts("assistant", { type: "text", text: "So.", citations })).toEqual({
      content: [{ type: "text", text: "So.", citations: [own] }],
      losses: ["citations:dropped"],
    })
  })

  test("sends unknown parts only if they come from Anthropic's format", () => {
    const fields = { type: "server_tool_use", id: "s" }
    expect(
      encodeParts("assistant", {
        type: "unknown",
        extra: { dialect: "anthropic-messages", fields },
      }),
    ).toEqual({ content: [fields], losses: [] })
    const foreign: Part = {
      type: "unknown",
      extra: { dialect: "openai-responses", fields: { computer_call: {} } },
    }
    expect(encodeParts("assistant", text("a"), foreign)).toEqual({
      content: "a",
      losses: ["computer_call:dropped"],
    })
  })
})

describe("the Anthropic tool encoder", () => {
  const tools = [{ name: "f", parameters: { type: "object" } }]

  test("encodes all fields of a tool", () => {
    const { body, losses } = encode({
      tools: [
        {
          name: "f",
          description: "D",
          parameters: { type: "object", properties: { x: { type: "object" } } },
          strict: true,
          cache: { ttl: "24h" },
        },
        { name: "g" },
      ],
    })
    expect(body.tools).toEqual([
      {
        name: "f",
        description: "D",
        // A strict schema must exclude additional properties.
        input_schema: {
          type: "object",
          properties: { x: { type: "object", additionalProperties: false } },
          additionalProperties: false,
        },
        strict: true,
        cache_control: { type: "ephemeral" },
      },
      { name: "g", input_schema: { type: "object" } },
    ])
    expect(losses).toEqual(["cache_control:approximated"])
  })

  test("encodes each tool choice", () => {
    const choice = (fields: Partial<ChatRequest>) => encode({ tools, ...fields }).body.tool_choice
    expect(choice({})).toBeUndefined()
    expect(choice({ toolChoice: { type: "auto" } })).toEqual({ type: "auto" })
    expect(choice({ toolChoice: { type: "none" }, parallelToolCalls: false })).toEqual({
      type: "none",
    })
    expect(choice({ toolChoice: { type: "required" } })).toEqual({ type: "any" })
    expect(choice({ toolChoice: { type: "tool", name: "f" } })).toEqual({ type: "tool", name: "f" })
    expect(choice({ parallelToolCalls: false })).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    })
    expect(choice({ toolChoice: { type: "required" }, parallelToolCalls: false })).toEqual({
      type: "any",
      disable_parallel_tool_use: true,
    })
    expect(choice({ parallelToolCalls: true })).toBeUndefined()
  })

  test("drops the tool choice of a request without tools", () => {
    const { body, losses } = encode({ toolChoice: { type: "required" } })
    expect(body).not.toHaveProperty("tool_choice")
    expect(losses).toEqual(["tool_choice:dropped"])
    expect(encode({ toolChoice: { type: "none" }, parallelToolCalls: false }).losses).toEqual([])
  })
})

describe("the Anthropic encoder of a response schema", () => {
  const schema = { type: "object", properties: { x: { enum: [{ type: "object" }] } } }
  const responseFormat = { type: "json-schema", name: "x", schema } as const

  test("sends the schema in the vendor's own format, with closed objects", () => {
    const { body, losses } = encode({ responseFormat })
    expect(body.output_config).toEqual({
      format: { type: "json_schema", schema: { ...schema, additionalProperties: false } },
    })
    expect(losses).toEqual([])
  })

  test("closes every object of a schema, regardless of property names", () => {
    const open = { type: "object", properties: {} }
    const closed = { ...open, additionalProperties: false }
    const names = ["const", "default", "enum", "examples", "properties", "type", "$defs"]
    const schemaOf = (inner: JsonObject) => ({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, inner])),
      $defs: { enum: inner, list: { type: ["object", "null"], anyOf: [inner] } },
      default: open,
    })
    const { body } = encode({ responseFormat: { ...responseFormat, schema: schemaOf(open) } })
    const expected = schemaOf(closed)
    expect(body.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          ...expected,
          $defs: {
            ...expected.$defs,
            list: { ...expected.$defs.list, additionalProperties: false },
          },
          additionalProperties: false,
        },
      },
    })
  })

  test("sends a list schema in the vendor's format, or as an instruction if only tools are supported", () => {
    const list = { ...responseFormat, schema: { type: "array", items: { type: "string" } } }
    const { body, losses } = encode({ responseFormat: list })
    expect(body.output_config).toEqual({ format: { type: "json_schema", schema: list.schema } })
    expect(losses).toEqual([])
    const older = encode({ model: "claude-sonnet-4-20250514", responseFormat: list })
    expect(older.body).not.toHaveProperty("tools")
    expect(older.body).not.toHaveProperty("tool_choice")
    expect(JSON.stringify(older.body.system)).toContain(
      JSON.stringify(JSON.stringify(list.schema)).slice(1, -1),
    )
    expect(older.losses).toEqual(["json_schema:approximated"])
  })

  test("requires a call to the response tool if the model supports no response formats", () => {
    const older = { model: "claude-sonnet-4-20250514", responseFormat }
    const { body, losses } = encode(older)
    expect(body.tools).toMatchObject([{ name: "json_answer", input_schema: schema }])
    expect(body.tool_choice).toEqual({
      type: "tool",
      name: "json_answer",
      disable_parallel_tool_use: true,
    })
    expect(losses).toEqual(["json_schema:approximated"])
    const beside = encode({ ...older, tools: [{ name: "f" }] })
    expect(beside.body.tools).toMatchObject([{ name: "f" }, { name: "json_answer" }])
    expect(beside.body.tool_choice).toEqual({ type: "any", disable_parallel_tool_use: true })
    const { body: body2 } = encode({
      ...older,
      tools: [{ name: "f" }],
      toolChoice: { type: "none" },
    })
    expect(body2.tool_choice).toMatchObject({ type: "tool", name: "json_answer" })
  })
})
