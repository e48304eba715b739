import { describe, expect, test } from "bun:test"
import { asGatewayError, type GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"

function refusalOf(body: JsonObject): GatewayError {
  try {
    OPENAI_RESPONSES.decodeRequest(body)
  } catch (thrown) {
    return asGatewayError(thrown)
  }
  throw new Error("the request was taken")
}

function told(body: JsonObject): [kind: string, parameter: string | undefined, message: string] {
  const { kind, message, details, status } = refusalOf({ model: "m", input: "Hi", ...body })
  expect(status).toBe(400)
  return [kind, details.parameter, message]
}

const CALL = { type: "function_call", call_id: "call_1", name: "a", arguments: "{}" }
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "ok" }

describe("Responses validation of missing parameters", () => {
  test("reports a missing model", () => {
    expect(refusalOf({ input: "Hi" })).toMatchObject({
      kind: "missing_required_parameter",
      message: "Missing required parameter: 'model'.",
      details: { parameter: "model" },
    })
  })

  test("reports a missing input", () => {
    expect(refusalOf({ model: "m", input: null })).toMatchObject({
      kind: "missing_required_parameter",
      details: { parameter: "input" },
    })
  })

  test.each<[string, JsonValue]>([
    ["input[0].role", {}],
    ["input[0].content", { role: "user" }],
    ["input[0].content[0].type", { role: "user", content: [{}] }],
    ["input[0].content[0].text", { role: "user", content: [{ type: "input_text" }] }],
    ["input[0].content[0].image_url", { role: "user", content: [{ type: "input_image" }] }],
    ["input[0].content[0].file_data", { role: "user", content: [{ type: "input_file" }] }],
    ["input[0].content[0].input_audio", { role: "user", content: [{ type: "input_audio" }] }],
    ["input[0].content[0].refusal", { role: "assistant", content: [{ type: "refusal" }] }],
    ["input[0].call_id", { type: "function_call", name: "a", arguments: "{}" }],
    ["input[0].name", { type: "function_call", call_id: "a", arguments: "{}" }],
    ["input[0].arguments", { type: "function_call", call_id: "a", name: "a" }],
    ["input[0].call_id", { type: "function_call_output", output: "a" }],
    ["input[0].output", { type: "function_call_output", call_id: "a" }],
  ])("reports the missing parameter of an input item: %s", (parameter, item) => {
    expect(told({ input: [item] })).toEqual([
      "missing_required_parameter",
      parameter,
      `Missing required parameter: '${parameter}'.`,
    ])
  })

  test.each<[string, JsonObject]>([
    ["tools[0].type", { tools: [{}] }],
    ["tools[0].name", { tools: [{ type: "function" }] }],
    ["tool_choice.name", { tool_choice: { type: "function" } }],
    ["text.format.name", { text: { format: { type: "json_schema", schema: {} } } }],
    ["text.format.schema", { text: { format: { type: "json_schema", name: "a" } } }],
  ])("reports the missing parameter %s", (parameter, body) => {
    expect(told(body).slice(0, 2)).toEqual(["missing_required_parameter", parameter])
  })
})

describe("Responses validation of types", () => {
  test.each<[string, JsonObject, string]>([
    ["input", { input: 1 }, "expected one of a string or array of input items, but got an integer"],
    ["input[0]", { input: [1] }, "expected an object, but got an integer"],
    ["input[0].type", { input: [{ type: 1 }] }, "expected a string, but got an integer"],
    ["input[0].role", { input: [{ role: 1 }] }, "expected a string, but got an integer"],
    [
      "input[0].content",
      { input: [{ role: "user", content: 1 }] },
      "expected one of a string or array of objects, but got an integer",
    ],
    [
      "input[0].arguments",
      { input: [{ ...CALL, arguments: {} }] },
      "expected a string, but got an object",
    ],
    ["tools", { tools: {} }, "expected an array of objects, but got an object"],
    [
      "tools[0].parameters",
      { tools: [{ type: "function", name: "a", parameters: "{}" }] },
      "expected an object, but got a string",
    ],
    [
      "tools[0].strict",
      { tools: [{ type: "function", name: "a", strict: 1 }] },
      "expected a boolean, but got an integer",
    ],
    ["tool_choice", { tool_choice: 1 }, "expected one of a tool choice or object"],
    ["stream", { stream: "yes" }, "expected a boolean, but got a string"],
    ["instructions", { instructions: [] }, "expected a string, but got an array"],
    [
      "text.format.schema",
      { text: { format: { type: "json_schema", schema: 1 } } },
      "expected an object",
    ],
    ["metadata", { metadata: "a" }, "expected a metadata object, but got a string"],
    ["include", { include: "all" }, "expected an array of strings, but got a string"],
    ["max_output_tokens", { max_output_tokens: 1.5 }, "expected an integer, but got a decimal"],
  ])("rejects %s", (parameter, body, words) => {
    const [kind, named, message] = told(body)
    expect([kind, named]).toEqual(["invalid_type", parameter])
    expect(message).toStartWith(`Invalid type for '${parameter}': ${words}`)
  })
})

describe("Responses validation of values", () => {
  test.each<[string, JsonObject, string]>([
    ["input", { input: [] }, "empty array"],
    ["input[0].role", { input: [{ role: "tool", content: "" }] }, "Invalid value: 'tool'."],
    ["input[0].type", { input: [{ type: "telepathy" }] }, "Invalid value: 'telepathy'."],
    [
      "input[0].content[0].type",
      { input: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
      "Supported values are: 'input_text', 'input_image', 'output_text'",
    ],
    [
      "input[1].output[0].type",
      { input: [CALL, { ...OUTPUT, output: [{ type: "refusal", refusal: "No." }] }] },
      "Supported values are: 'input_text', 'input_image', and 'input_file'.",
    ],
    [
      "input[0].content[0].image_url",
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "a.png" }] }] },
      "expected an http or https address",
    ],
    [
      "input[0].content[0].image_url",
      {
        input: [
          { role: "user", content: [{ type: "input_image", image_url: "data:text/plain,Hi" }] },
        ],
      },
      "expected a base64-encoded data URL with an image MIME type",
    ],
    [
      "input[0].content[0].file_url",
      { input: [{ role: "user", content: [{ type: "input_file", file_url: "a.pdf" }] }] },
      "expected an http or https address",
    ],
    [
      "input[0].content[0].file_data",
      { input: [{ role: "user", content: [{ type: "input_file", file_data: "data:,Hi" }] }] },
      "expected a base64-encoded data URL",
    ],
    ["tool_choice", { tool_choice: "maybe" }, "Invalid value: 'maybe'."],
    ["text.format.type", { text: { format: { type: "xml" } } }, "Invalid value: 'xml'."],
    ["truncation", { truncation: "some" }, "Invalid value: 'some'."],
    ["background", { background: true }, "this gateway has no background mode"],
    [
      "metadata",
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) },
      "too many properties",
    ],
  ])("rejects %s", (parameter, body, words) => {
    const [kind, named, message] = told(body)
    expect([kind, named]).toEqual(["invalid_value", parameter])
    expect(message).toContain(words)
  })

  test.each<[string, JsonObject, string]>([
    ["temperature", { temperature: 2.5 }, "above_max_value"],
    ["temperature", { temperature: -1 }, "below_min_value"],
    ["top_p", { top_p: 2 }, "above_max_value"],
    ["max_output_tokens", { max_output_tokens: 0 }, "below_min_value"],
    ["top_logprobs", { top_logprobs: 21 }, "above_max_value"],
  ])("rejects %s out of range: %j", (parameter, body, kind) => {
    expect(told(body).slice(0, 2)).toEqual([kind, parameter])
  })
})

describe("Responses validation of tool calls and outputs", () => {
  test("rejects a call without an output", () => {
    expect(told({ input: [CALL, { role: "user", content: "Hi" }] })).toEqual([
      "invalid_value",
      "input",
      "No tool output found for function call call_1.",
    ])
  })

  test("rejects an output that has no call or precedes its call", () => {
    const message = "No tool call found for function call output with call_id call_1."
    expect(told({ input: [OUTPUT] })).toEqual(["invalid_value", "input", message])
    expect(told({ input: [OUTPUT, CALL] })).toEqual(["invalid_value", "input", message])
  })

  test.each<[string, JsonObject]>([
    ["an earlier response", { previous_response_id: "resp_1", input: [OUTPUT] }],
    ["a conversation", { conversation: "conv_1", input: [OUTPUT] }],
    ["a reference", { input: [{ type: "item_reference", id: "fc_1" }, OUTPUT] }],
    ["a compaction", { input: [OUTPUT, { type: "compaction", encrypted_content: "a" }] }],
    [
      "a call other than of a function",
      { input: [{ type: "tool_search_call", call_id: "call_1" }, OUTPUT] },
    ],
  ])("accepts an output if its call is in %s", (_, body) => {
    expect(OPENAI_RESPONSES.decodeRequest({ model: "m", ...body }).messages.at(-1)).toBeDefined()
  })
})

test("Responses validation accepts the same call id again after the output of the first call", () => {
  const input = [CALL, OUTPUT, CALL, OUTPUT]
  expect(OPENAI_RESPONSES.decodeRequest({ model: "m", input }).messages.length).toBe(4)
})
