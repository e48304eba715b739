import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"
import { restored } from "../restored-dialect.ts"

function decode(fields: JsonObject, request?: ChatRequest) {
  const body = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] }
  return restored(ANTHROPIC_MESSAGES).decodeResult({ ...body, ...fields }, request)
}

function choiceOf(fields: JsonObject, request?: ChatRequest) {
  return decode(fields, request).choices[0]
}

describe("the Anthropic response decoder", () => {
  test("decodes all parts of a message", () => {
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} }
    const result = decode({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "thinking", thinking: "Unsigned.", signature: "" },
        { type: "redacted_thinking", data: "ZGF0YQ==" },
        search,
        { type: "text", text: "Hello" },
        { type: "tool_use", id: "a", name: "f", input: { x: [1] } },
        { type: "tool_use", id: "b", name: "g" },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 2 },
    })
    expect(result).toMatchObject({ id: "msg_1", model: "m", usage: { inputFresh: 1, output: 2 } })
    const signedBy = "anthropic-messages"
    expect(result.choices).toEqual([
      {
        index: 0,
        finish: "tool-calls",
        parts: [
          { type: "reasoning", text: "Hm.", signature: "c2ln", signedBy },
          { type: "reasoning", text: "Unsigned." },
          { type: "reasoning", text: "", signature: "ZGF0YQ==", signedBy, isRedacted: true },
          { type: "unknown", extra: { dialect: "anthropic-messages", fields: search } },
          { type: "text", text: "Hello" },
          { type: "tool-call", id: "a", name: "f", arguments: '{"x":[1]}' },
          { type: "tool-call", id: "b", name: "g", arguments: "{}" },
        ],
      },
    ])
  })

  test("keeps Anthropic-only fields as extras", () => {
    const details = { type: "refusal", category: "bio" }
    expect(choiceOf({ stop_details: details, container: null, new_member: 1 })?.extra).toEqual({
      dialect: "anthropic-messages",
      fields: { stop_details: details, new_member: 1 },
    })
  })

  test("rejects an invalid body", () => {
    for (const body of [{}, { content: "Hi" }, { type: "error" }]) {
      expect(() => ANTHROPIC_MESSAGES.decodeResult(body)).toThrow(GatewayError)
    }
  })
})

describe("the Anthropic stop reason decoder", () => {
  const ends = (word: string | null, sequence: string | null = null) => {
    const choice = choiceOf({ stop_reason: word, stop_sequence: sequence })
    return [choice?.finish, choice?.rawFinish, choice?.stopSequence]
  }

  test("decodes every stop reason", () => {
    expect(ends("end_turn")).toEqual(["stop", undefined, undefined])
    expect(ends("max_tokens")).toEqual(["length", undefined, undefined])
    expect(ends("stop_sequence", "END")).toEqual(["stop", "stop_sequence", "END"])
    // The response contains no call.
    expect(ends("tool_use")).toEqual(["stop", "tool_use", undefined])
    // Compatible servers send OpenAI's terms.
    expect(ends("length")).toEqual(["length", undefined, undefined])
    expect(ends("eos")).toEqual(["stop", undefined, undefined])
    expect(ends("pause_turn")).toEqual(["stop", "pause_turn", undefined])
    expect(ends("refusal")).toEqual(["content-filter", "refusal", undefined])
    expect(ends("model_context_window_exceeded")).toEqual([
      "length",
      "model_context_window_exceeded",
      undefined,
    ])
    expect(ends("of_old_age")).toEqual(["other", "of_old_age", undefined])
    expect(ends(null)).toEqual(["other", undefined, undefined])
  })
})

describe("the Anthropic decoder of a structured response tool", () => {
  const request: ChatRequest = {
    model: "claude-3-7-sonnet-20250219",
    messages: [],
    stream: false,
    streamUsage: false,
    choices: 1,
    responseFormat: { type: "json-schema", name: "x", schema: { type: "object" } },
  }
  const response = { type: "tool_use", id: "a", name: "json_answer", input: { x: 1 } }

  test("converts the call to the response tool to text", () => {
    const choice = choiceOf({ content: [response], stop_reason: "tool_use" }, request)
    expect(choice).toEqual({ index: 0, parts: [{ type: "text", text: '{"x":1}' }], finish: "stop" })
  })

  test("keeps a call to another tool next to the call to the response tool", () => {
    const call = { type: "tool_use", id: "b", name: "f", input: {} }
    const choice = choiceOf({ content: [call], stop_reason: "tool_use" }, request)
    expect(choice).toMatchObject({ finish: "tool-calls", parts: [{ type: "tool-call" }] })
    const cut = choiceOf({ content: [response], stop_reason: "max_tokens" }, request)
    expect(cut?.finish).toBe("length")
  })

  test("does not convert the call if the request has no response format", () => {
    const native = { ...request, model: "claude-sonnet-4-5" }
    for (const asked of [undefined, native]) {
      const choice = choiceOf({ content: [response], stop_reason: "tool_use" }, asked)
      expect(choice).toMatchObject({ finish: "tool-calls", parts: [{ name: "json_answer" }] })
    }
  })
})
