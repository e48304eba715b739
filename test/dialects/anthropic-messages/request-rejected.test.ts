import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

const BODY = { model: "a/b", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] }
const CALL = { type: "tool_use", id: "a", name: "f", input: {} }
const RESULT = { type: "tool_result", tool_use_id: "a", content: "x" }

function refusalOf(body: JsonObject): GatewayError {
  try {
    ANTHROPIC_MESSAGES.decodeRequest(body)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("the request was taken")
}

/** Returns the kind and the parameter of the error for a body with these fields. */
function rejected(fields: JsonObject): [string, string | undefined] {
  const { kind, details, status } = refusalOf({ ...BODY, ...fields })
  expect(status).toBe(400)
  return [kind, details.parameter]
}

function rejectedContent(role: string, ...content: JsonValue[]): [string, string | undefined] {
  return rejected({ messages: [{ role, content }] })
}

describe("Anthropic parameter validation", () => {
  test("rejects a request without a required parameter", () => {
    const { model, max_tokens: maxTokens, messages } = BODY
    const missing = (body: JsonObject) => {
      const { kind, details } = refusalOf(body)
      return [kind, details.parameter]
    }
    expect(missing({ model, messages })).toEqual(["missing_required_parameter", "max_tokens"])
    expect(missing({ model, messages, max_tokens: null })).toEqual([
      "missing_required_parameter",
      "max_tokens",
    ])
    expect(missing({ max_tokens: maxTokens, messages })).toEqual([
      "missing_required_parameter",
      "model",
    ])
    expect(missing({ model, max_tokens: maxTokens })).toEqual([
      "missing_required_parameter",
      "messages",
    ])
  })

  test("rejects a value of the wrong type or out of range", () => {
    expect(rejected({ max_tokens: -1 })).toEqual(["below_min_value", "max_tokens"])
    expect(rejected({ max_tokens: "5" })).toEqual(["invalid_type", "max_tokens"])
    expect(rejected({ max_tokens: 1.5 })).toEqual(["invalid_type", "max_tokens"])
    expect(rejected({ temperature: 1.1 })).toEqual(["above_max_value", "temperature"])
    expect(rejected({ temperature: -0.1 })).toEqual(["below_min_value", "temperature"])
    expect(rejected({ top_p: 2 })).toEqual(["above_max_value", "top_p"])
    expect(rejected({ top_k: 0.5 })).toEqual(["invalid_type", "top_k"])
    expect(rejected({ stop_sequences: "END" })).toEqual(["invalid_type", "stop_sequences"])
    expect(rejected({ stop_sequences: [1] })).toEqual(["invalid_type", "stop_sequences[0]"])
    expect(rejected({ stream: "yes" })).toEqual(["invalid_type", "stream"])
    expect(rejected({ metadata: { user_id: 5 } })).toEqual(["invalid_type", "metadata.user_id"])
    expect(rejected({ model: 5 })).toEqual(["invalid_type", "model"])
    expect(rejected({ cache_control: { type: "always" } })).toEqual([
      "invalid_value",
      "cache_control.type",
    ])
    expect(rejected({ cache_control: { type: "ephemeral", ttl: "9h" } })).toEqual([
      "invalid_value",
      "cache_control.ttl",
    ])
    expect(refusalOf({ ...BODY, temperature: 1.1 }).message).toBe(
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 1, but got 1.1 instead.",
    )
  })

  test("rejects invalid thinking options", () => {
    const thinking = (value: JsonObject) => rejected({ thinking: value })
    expect(thinking({})).toEqual(["missing_required_parameter", "thinking.type"])
    expect(thinking({ type: "enabled" })).toEqual([
      "missing_required_parameter",
      "thinking.budget_tokens",
    ])
    expect(thinking({ type: "enabled", budget_tokens: 5 })).toEqual([
      "below_min_value",
      "thinking.budget_tokens",
    ])
    const large = { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 2000 } }
    expect(rejected(large)).toEqual(["invalid_value", "thinking.budget_tokens"])
    expect(refusalOf({ ...BODY, ...large }).message).toBe(
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    )
  })
})

describe("Anthropic message validation", () => {
  test("rejects malformed messages", () => {
    expect(rejected({ messages: "Hi" })).toEqual(["invalid_type", "messages"])
    expect(rejected({ messages: [] })).toEqual(["invalid_value", "messages"])
    expect(rejected({ messages: ["Hi"] })).toEqual(["invalid_type", "messages[0]"])
    expect(rejected({ messages: [{ content: "Hi" }] })).toEqual([
      "missing_required_parameter",
      "messages[0].role",
    ])
    expect(rejected({ messages: [{ role: "tool", content: "Hi" }] })).toEqual([
      "invalid_value",
      "messages[0].role",
    ])
    expect(rejected({ messages: [{ role: "user" }] })).toEqual([
      "missing_required_parameter",
      "messages[0].content",
    ])
    expect(rejected({ messages: [{ role: "user", content: 5 }] })).toEqual([
      "invalid_type",
      "messages[0].content",
    ])
  })

  test("rejects system messages with content other than text", () => {
    const amid = (content: JsonValue) => rejected({ messages: [{ role: "system", content }] })
    expect(amid(5)).toEqual(["invalid_type", "messages[0].content"])
    expect(amid(["Hi"])).toEqual(["invalid_type", "messages[0].content[0]"])
    expect(amid([{ type: "image" }])).toEqual(["invalid_value", "messages[0].content[0].type"])
    expect(rejected({ system: 5 })).toEqual(["invalid_type", "system"])
    expect(rejected({ system: [{ type: "image" }] })).toEqual(["invalid_value", "system[0].type"])
    expect(rejected({ system: [{ type: "text" }] })).toEqual([
      "missing_required_parameter",
      "system[0].text",
    ])
  })
})

describe("Anthropic block validation", () => {
  test("rejects an unknown block type and a block in the wrong role", () => {
    expect(rejectedContent("user", "Hi")).toEqual(["invalid_type", "messages[0].content[0]"])
    expect(rejectedContent("user", {})).toEqual([
      "missing_required_parameter",
      "messages[0].content[0].type",
    ])
    expect(rejectedContent("user", { type: "input_text", text: "Hi" })).toEqual([
      "invalid_value",
      "messages[0].content[0].type",
    ])
    expect(rejectedContent("user", CALL)).toEqual(["invalid_value", "messages[0].content[0]"])
    expect(rejectedContent("assistant", RESULT)).toEqual([
      "invalid_value",
      "messages[0].content[0]",
    ])
    const messages = [{ role: "user", content: [CALL] }]
    expect(refusalOf({ ...BODY, messages }).message).toBe(
      "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
    )
  })

  test("rejects a block without its required fields", () => {
    const place = "messages[0].content[0]"
    const missing = "missing_required_parameter"
    expect(rejectedContent("user", { type: "text" })).toEqual([missing, `${place}.text`])
    expect(rejectedContent("user", { type: "image" })).toEqual([missing, `${place}.source`])
    expect(rejectedContent("user", { type: "tool_result" })).toEqual([
      missing,
      `${place}.tool_use_id`,
    ])
    const { input: _, ...noInput } = CALL
    expect(rejectedContent("assistant", noInput)).toEqual([missing, `${place}.input`])
    expect(rejectedContent("assistant", { ...CALL, input: "{}" })).toEqual([
      "invalid_type",
      `${place}.input`,
    ])
    expect(rejectedContent("assistant", { ...CALL, id: "" })).toEqual([missing, `${place}.id`])
    expect(rejectedContent("assistant", { type: "thinking" })).toEqual([
      missing,
      `${place}.thinking`,
    ])
    expect(rejectedContent("assistant", { type: "redacted_thinking" })).toEqual([
      missing,
      `${place}.data`,
    ])
  })

  test("rejects invalid images and files", () => {
    const place = "messages[0].content[0].source"
    const image = (source: JsonValue) => rejectedContent("user", { type: "image", source })
    const data = "iVBORw0KGgo="
    expect(image({ type: "base64", media_type: "text/html", data })).toEqual([
      "invalid_value",
      `${place}.media_type`,
    ])
    expect(image({ type: "base64", media_type: "image/png", data: "not base64!" })).toEqual([
      "invalid_value",
      `${place}.data`,
    ])
    expect(image({ type: "base64", media_type: "image/png", data: "" })).toEqual([
      "missing_required_parameter",
      `${place}.data`,
    ])
    expect(image({ type: "url", url: "ftp://a" })).toEqual(["invalid_value", `${place}.url`])
    expect(image({ type: "file" })).toEqual(["missing_required_parameter", `${place}.file_id`])
    expect(image({ type: "path" })).toEqual(["invalid_value", `${place}.type`])
    expect(image({})).toEqual(["missing_required_parameter", `${place}.type`])
    expect(image("a.png")).toEqual(["invalid_type", place])
    const document = { type: "document", source: { type: "base64", data: "%%" } }
    expect(rejectedContent("user", document)).toEqual([
      "missing_required_parameter",
      `${place}.media_type`,
    ])
  })

  test("validates blocks inside tool results", () => {
    const asking = { role: "assistant", content: [CALL] }
    const response = (fields: JsonObject) =>
      rejected({ messages: [asking, { role: "user", content: [{ ...RESULT, ...fields }] }] })
    const place = "messages[1].content[0]"
    expect(response({ content: 5 })).toEqual(["invalid_type", `${place}.content`])
    expect(response({ content: [{ type: "tool_use" }] })).toEqual([
      "invalid_value",
      `${place}.content[0].type`,
    ])
    expect(response({ content: [{ type: "text" }] })).toEqual([
      "missing_required_parameter",
      `${place}.content[0].text`,
    ])
    expect(response({ is_error: "yes" })).toEqual(["invalid_type", `${place}.is_error`])
  })
})

describe("Anthropic validation of tool calls and results", () => {
  const asking = { role: "assistant", content: [CALL, { ...CALL, id: "b" }] }
  const answering = (...ids: string[]) => ({
    role: "user",
    content: ids.map((id) => ({ ...RESULT, tool_use_id: id })),
  })
  const words = (...messages: JsonObject[]) => {
    const error = refusalOf({ ...BODY, messages })
    return [error.kind, error.details.parameter, error.message]
  }

  test("rejects a tool result without its call", () => {
    expect(words(answering("zzz"))).toEqual([
      "invalid_value",
      "messages[0].content[0]",
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: zzz. Each " +
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ])
    const later = { role: "assistant", content: "Done." }
    expect(words(asking, answering("a", "b"), later, answering("a"))[1]).toBe(
      "messages[3].content[0]",
    )
  })

  test("rejects a tool call without its result", () => {
    const expected = [
      "invalid_value",
      "messages[1].content",
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. " +
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ]
    const go = { role: "user", content: "Go" }
    expect(words(go, asking, answering("a"))).toEqual(expected)
    expect(words(go, asking, answering("a"), { role: "assistant", content: "x" })).toEqual(expected)
  })

  test("rejects two results for one call, and two calls with the same id", () => {
    expect(words(asking, answering("a", "b", "a"))[2]).toContain("must have a single result")
    const twice = { role: "assistant", content: [CALL, CALL] }
    expect(words(twice)).toEqual([
      "invalid_value",
      "messages[0].content[1]",
      "messages.0.content.1: `tool_use` ids must be unique",
    ])
  })
})

describe("Anthropic tool validation", () => {
  const tool = (fields: JsonObject) =>
    rejected({ tools: [{ name: "f", input_schema: { type: "object" }, ...fields }] })

  test("rejects malformed tools", () => {
    expect(rejected({ tools: {} })).toEqual(["invalid_type", "tools"])
    expect(rejected({ tools: ["f"] })).toEqual(["invalid_type", "tools[0]"])
    expect(tool({ name: null })).toEqual(["missing_required_parameter", "tools[0].name"])
    expect(tool({ type: 5 })).toEqual(["invalid_type", "tools[0].type"])
    expect(tool({ description: 5 })).toEqual(["invalid_type", "tools[0].description"])
    expect(tool({ strict: "yes" })).toEqual(["invalid_type", "tools[0].strict"])
  })

  test("rejects invalid schemas", () => {
    const missing = "missing_required_parameter"
    expect(tool({ input_schema: null })).toEqual([missing, "tools[0].input_schema"])
    expect(tool({ input_schema: "{}" })).toEqual(["invalid_type", "tools[0].input_schema"])
    expect(tool({ input_schema: {} })).toEqual([missing, "tools[0].input_schema.type"])
    expect(tool({ input_schema: { type: "array" } })).toEqual([
      "invalid_value",
      "tools[0].input_schema.type",
    ])
    expect(rejected({ output_config: { format: { type: "json_schema", schema: 5 } } })).toEqual([
      "invalid_type",
      "output_config.format.schema",
    ])
  })

  test("rejects an invalid tool choice", () => {
    const choice = (value: JsonValue) => rejected({ tool_choice: value })
    expect(choice("auto")).toEqual(["invalid_type", "tool_choice"])
    expect(choice({})).toEqual(["missing_required_parameter", "tool_choice.type"])
    expect(choice({ type: "required" })).toEqual(["invalid_value", "tool_choice.type"])
    expect(choice({ type: "tool" })).toEqual(["missing_required_parameter", "tool_choice.name"])
    expect(choice({ type: "auto", disable_parallel_tool_use: 1 })).toEqual([
      "invalid_type",
      "tool_choice.disable_parallel_tool_use",
    ])
  })
})
