import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_CHAT } from "../../../src/dialects/openai-chat/index.ts"

const TOOL = { type: "function", function: { name: "f" } }

function decode(fields: JsonObject): () => unknown {
  const messages = [{ role: "user", content: "Hi" }]
  return () => OPENAI_CHAT.decodeRequest({ model: "vendor/model", messages, ...fields })
}

/** Returns metadata with the given number of keys. */
function metadata(keys: number): JsonObject {
  return Object.fromEntries(Array.from({ length: keys }, (_, key) => [`key ${key}`, "value"]))
}

describe("OpenAI validation of dependent parameters and object limits", () => {
  test.each<[JsonObject, kind: string, parameter: string, words: string]>([
    [
      { max_tokens: 1, max_completion_tokens: 1 },
      "invalid_parameter_combination",
      "max_tokens",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    ],
    [
      { stream_options: { include_usage: true } },
      "invalid_value",
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    ],
    [
      { parallel_tool_calls: true },
      "invalid_value",
      "parallel_tool_calls",
      "'parallel_tool_calls' is only allowed when 'tools' are specified.",
    ],
    [
      { logit_bias: { "1": 101 } },
      "invalid_value",
      "logit_bias",
      "Logit bias value 101.0 is invalid or outside of range [-100, 100]",
    ],
    [{ logit_bias: { "1": 5, "2": -100.5 } }, "invalid_value", "logit_bias", "value -100.5 is"],
    [
      { metadata: metadata(17) },
      "invalid_value",
      "metadata",
      "at most 16 properties, but got an object with 17 properties instead.",
    ],
    [
      { metadata: { ["k".repeat(65)]: "value" } },
      "string_above_max_length",
      "metadata",
      "maximum length 64, but got a property name with length 65 instead.",
    ],
    [
      { response_format: { type: "json_schema" } },
      "missing_required_parameter",
      "response_format.json_schema",
      "Missing required parameter: 'response_format.json_schema'.",
    ],
    [{ response_format: { type: "xml" } }, "invalid_value", "response_format.type", "'xml'"],
  ])("rejects %j", (fields, kind, parameter, words) => {
    expect(decode(fields)).toThrow(words)
    expect(decode(fields)).toThrow(expect.objectContaining({ kind, details: { parameter } }))
  })

  test.each<JsonObject>([
    { max_tokens: 1, max_completion_tokens: null },
    { stream: true, stream_options: { include_usage: true } },
    { stream_options: null },
    { parallel_tool_calls: false, tools: [TOOL] },
    { logit_bias: { "1": 100, "2": -100 } },
    { metadata: metadata(16) },
    { metadata: { ["k".repeat(64)]: "value" } },
    { response_format: { type: "text" } },
    { response_format: { type: "regex", value: "a+" } },
  ])("accepts %j", (fields) => {
    expect(decode(fields)).not.toThrow()
  })
})
