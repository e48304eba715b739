import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"
import { threadTime } from "../../support/processor-time.ts"

const { decodeRequest } = OPENAI_CHAT

function body(fields: JsonObject = {}): JsonObject {
  return { model: "vendor/model", messages: [{ role: "user", content: "Hi" }], ...fields }
}

function withMessage(...messages: JsonValue[]): JsonObject {
  return body({ messages })
}

function withPart(part: JsonValue): JsonObject {
  return withMessage({ role: "user", content: [part] })
}

function refusal(request: JsonObject): { kind: string; message: string; parameter?: string } {
  try {
    decodeRequest(request)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { kind, message, details } = error
    return { kind, message, ...(details.parameter ? { parameter: details.parameter } : {}) }
  }
  throw new Error("the request was taken")
}

describe("OpenAI request validation", () => {
  test.each<[string, JsonObject, [kind: string, parameter: string, words: string]]>([
    ["no model", { messages: [] }, ["missing_required_parameter", "model", "you must provide"]],
    ["a model of another type", body({ model: 5 }), ["invalid_type", "model", "a string"]],
    [
      "no messages",
      { model: "m" },
      ["missing_required_parameter", "messages", "Missing required parameter: 'messages'."],
    ],
    [
      "messages of another type",
      body({ messages: "hi" }),
      [
        "invalid_type",
        "messages",
        "Invalid type for 'messages': expected an array of objects, but got a string instead.",
      ],
    ],
    [
      "empty messages",
      body({ messages: [] }),
      [
        "invalid_value",
        "messages",
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      ],
    ],
    ["a message of another type", withMessage("hi"), ["invalid_type", "messages[0]", "an object"]],
    [
      "no role",
      withMessage({ content: "a" }),
      ["missing_required_parameter", "messages[0].role", "Missing"],
    ],
    [
      "an unknown role",
      withMessage({ role: "king", content: "a" }),
      [
        "invalid_value",
        "messages[0].role",
        "Invalid value: 'king'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      ],
    ],
    [
      "no content",
      withMessage({ role: "user" }),
      [
        "missing_required_parameter",
        "messages[0].content",
        "Missing required parameter: 'messages[0].content'.",
      ],
    ],
    [
      "an empty assistant message",
      withMessage({ role: "assistant" }),
      ["missing_required_parameter", "messages[0].content", "Missing"],
    ],
    [
      "content of another type",
      withMessage({ role: "user", content: 5 }),
      [
        "invalid_type",
        "messages[0].content",
        "expected one of a string or array of objects, but got an integer instead.",
      ],
    ],
    [
      "a part without type",
      withPart({ text: "a" }),
      ["missing_required_parameter", "messages[0].content[0].type", "Missing"],
    ],
    [
      "a part that is a string",
      withPart("a"),
      ["invalid_type", "messages[0].content[0]", "an object"],
    ],
    [
      "text of another type",
      withPart({ type: "text", text: 1.5 }),
      ["invalid_type", "messages[0].content[0].text", "a decimal number"],
    ],
    [
      "an image without an address",
      withPart({ type: "image_url", image_url: {} }),
      ["missing_required_parameter", "messages[0].content[0].image_url.url", "Missing"],
    ],
    [
      "an image with an invalid address",
      withPart({ type: "image_url", image_url: { url: "ftp://host/a.png" } }),
      ["invalid_value", "messages[0].content[0].image_url.url", "http"],
    ],
    [
      "a data URL of text",
      withPart({ type: "image_url", image_url: { url: "data:text/plain;base64,YQ==" } }),
      ["invalid_value", "messages[0].content[0].image_url.url", "base64-encoded"],
    ],
    [
      "a data URL without data",
      withPart({ type: "image_url", image_url: { url: "data:image/png;base64," } }),
      ["invalid_value", "messages[0].content[0].image_url.url", "base64-encoded"],
    ],
    [
      "a data URL with other characters",
      withPart({ type: "image_url", image_url: { url: "data:image/png;base64,§§§§" } }),
      ["invalid_value", "messages[0].content[0].image_url.url", "base64-encoded"],
    ],
    [
      "a result without a call",
      withMessage({ role: "tool", content: "a" }),
      ["missing_required_parameter", "messages[0].tool_call_id", "Missing"],
    ],
    [
      "a call without name",
      withMessage({ role: "assistant", tool_calls: [{ id: "a", function: { arguments: "" } }] }),
      ["missing_required_parameter", "messages[0].tool_calls[0].function.name", "Missing"],
    ],
    [
      "arguments as an object",
      withMessage({
        role: "assistant",
        tool_calls: [{ id: "a", function: { name: "f", arguments: {} } }],
      }),
      [
        "invalid_type",
        "messages[0].tool_calls[0].function.arguments",
        "expected a string, but got an object instead.",
      ],
    ],
    ["n too high", body({ n: 129 }), ["above_max_value", "n", "integer above maximum value."]],
    ["n as a fraction", body({ n: 1.5 }), ["invalid_type", "n", "got a decimal number"]],
    ["a seed as a fraction", body({ seed: 1.5 }), ["invalid_type", "seed", "an integer"]],
    ["top_p too high", body({ top_p: 1.1 }), ["above_max_value", "top_p", "decimal above"]],
    [
      "top_logprobs too high",
      body({ top_logprobs: 21 }),
      ["above_max_value", "top_logprobs", "20"],
    ],
    [
      "a penalty too low",
      body({ presence_penalty: -3 }),
      ["below_min_value", "presence_penalty", ">= -2"],
    ],
    [
      "a stop of another type",
      body({ stop: 5 }),
      [
        "invalid_type",
        "stop",
        "Invalid type for 'stop': expected one of a string or array of strings, but got an integer instead.",
      ],
    ],
    ["stops of another type", body({ stop: ["a", 5] }), ["invalid_type", "stop[1]", "a string"]],
    [
      "json_schema without schema",
      body({ response_format: { type: "json_schema" } }),
      ["missing_required_parameter", "response_format.json_schema", "Missing"],
    ],
    [
      "a json_schema with an invalid name",
      body({ response_format: { type: "json_schema", json_schema: { name: 1 } } }),
      ["invalid_type", "response_format.json_schema.name", "a string"],
    ],
    [
      "an unknown format",
      body({ response_format: { type: "yaml" } }),
      [
        "invalid_value",
        "response_format.type",
        "Supported values are: 'json_object', 'json_schema', and 'text'.",
      ],
    ],
    [
      "a format without type",
      body({ response_format: {} }),
      ["missing_required_parameter", "response_format.type", "Missing"],
    ],
    [
      "an unknown tool choice",
      body({ tools: [], tool_choice: "some" }),
      ["invalid_value", "tool_choice", "Supported values are: 'none', 'auto', and 'required'."],
    ],
    [
      "a tool without name",
      body({ tools: [{ type: "function", function: {} }] }),
      ["missing_required_parameter", "tools[0].function.name", "Missing"],
    ],
    [
      "a tool without type",
      body({ tools: [{}] }),
      ["missing_required_parameter", "tools[0].type", "Missing"],
    ],
    [
      "an unknown modality",
      body({ modalities: ["smell"] }),
      ["invalid_value", "modalities[0]", "'text'"],
    ],
    [
      "metadata of numbers",
      body({ metadata: { a: 1 } }),
      ["invalid_type", "metadata.a", "a string"],
    ],
  ])("returns the kind, parameter and message for %s", (_, request, [kind, parameter, words]) => {
    const rejected = refusal(request)
    expect(rejected.kind).toBe(kind)
    expect(rejected.parameter).toBe(parameter)
    expect(rejected.message).toContain(words)
  })

  test("shortens a long value in the error message", () => {
    const { message } = refusal(withMessage({ role: "x".repeat(100_000), content: "" }))
    expect(message.length).toBeLessThan(500)
  })

  test("checks a data URL of 20 million characters quickly", () => {
    const url = `data:image/png;base64,${"A".repeat(20_000_000)}`
    const request = withPart({ type: "image_url", image_url: { url } })
    expect(threadTime(() => decodeRequest(request), 200)).toBeLessThan(200)
  })
})
