import { describe, expect, test } from "bun:test"
import type { ChatRequest, Choice } from "../../../src/canon/chat.ts"
import type { Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { ANTHROPIC_MESSAGES } from "../../../src/dialects/anthropic-messages/index.ts"

const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [],
  stream: false,
  streamUsage: false,
  choices: 1,
}

function encode(fields: Partial<Choice>): JsonObject {
  const choice: Choice = { index: 0, parts: [], finish: "stop", ...fields }
  const result = { id: "msg_1", model: "m", choices: [choice], usage: { ...NO_USAGE, output: 3 } }
  return ANTHROPIC_MESSAGES.encodeResult(result, REQUEST)
}

function contentOf(...parts: Part[]) {
  return encode({ parts }).content
}

describe("the Anthropic response encoder", () => {
  test("writes every member that the official client declares", () => {
    const message = encode({ parts: [{ type: "text", text: "Hi" }] })
    expect(message.content).toEqual([{ type: "text", text: "Hi" }])
    expect(message).toMatchObject({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: { input_tokens: 0, output_tokens: 3 },
    })
  })

  test("writes the stop reason stop_sequence even if the vendor does not name the matched string", () => {
    const message = encode({ parts: [], rawFinish: "STOP_SEQUENCE" })
    expect(message).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: null })
  })

  test("writes all required fields even if the result has no id and no choices", () => {
    const message = ANTHROPIC_MESSAGES.encodeResult({ choices: [] }, REQUEST)
    expect(message).toMatchObject({ model: "vendor/model", content: [], stop_reason: "end_turn" })
    expect(String(message.id)).toMatch(/^msg_.{32}$/)
    expect(message.usage).toMatchObject({ input_tokens: 0, output_tokens: 0 })
  })

  test("writes only the first of several choices", () => {
    const choices = ["a", "b"].map((text, index): Choice => ({
      index,
      parts: [{ type: "text", text }],
      finish: "stop",
    }))
    expect(ANTHROPIC_MESSAGES.encodeResult({ choices }, REQUEST).content).toMatchObject([
      { text: "a" },
    ])
  })

  test("encodes parts of every kind", () => {
    const signed = { signature: "opaque", signedBy: "gemini" } as const
    expect(
      contentOf(
        { type: "reasoning", text: "Hm.", ...signed },
        { type: "reasoning", text: "Unsigned." },
        { type: "reasoning", text: "", ...signed, isRedacted: true },
        { type: "tool-call", id: "a", name: "f", arguments: '{"x":1}' },
        { type: "tool-call", id: "b", name: "f", arguments: '{"x":' },
        { type: "image", source: { type: "url", url: "https://a" } },
      ),
    ).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "opaque" },
      { type: "thinking", thinking: "Unsigned.", signature: "" },
      { type: "redacted_thinking", data: "opaque" },
      { type: "tool_use", id: "a", name: "f", input: { x: 1 }, caller: { type: "direct" } },
      {
        type: "tool_use",
        id: "b",
        name: "f",
        input: { arguments: '{"x":' },
        caller: { type: "direct" },
      },
    ])
  })

  test("writes citations in Anthropic's format or as web results", () => {
    const own = { type: "page_location", cited_text: "q", document_index: 0 }
    const citations = [
      { quote: "q", extra: { dialect: "anthropic-messages" as const, fields: own } },
      { url: "https://a", start: 0, end: 2 },
      { quote: "sunny", title: "Weather" },
    ]
    expect(contentOf({ type: "text", text: "So", citations })).toEqual([
      {
        type: "text",
        text: "So",
        citations: [
          own,
          {
            type: "web_search_result_location",
            url: "https://a",
            title: "https://a",
            cited_text: "",
            encrypted_index: "",
          },
          {
            type: "char_location",
            cited_text: "sunny",
            document_index: 0,
            document_title: "Weather",
            start_char_index: 0,
            end_char_index: 5,
            file_id: null,
          },
        ],
      },
    ])
  })

  test("drops a signature without text at the end of a response", () => {
    const text: Part = { type: "text", text: "a" }
    const signature: Part = { type: "reasoning", text: "", signature: "s", signedBy: "gemini" }
    expect(contentOf(text, signature)).toEqual([{ type: "text", text: "a" }])
    expect(contentOf(text, signature, text)).toHaveLength(3)
    expect(contentOf(signature)).toEqual([{ type: "thinking", thinking: "", signature: "s" }])
  })

  test("writes refused text with the stop reason refusal", () => {
    expect(encode({ parts: [{ type: "refusal", text: "No." }] })).toMatchObject({
      content: [{ type: "text", text: "No." }],
      stop_reason: "refusal",
    })
  })

  test("writes Anthropic-only extras to their original fields", () => {
    const block = { type: "server_tool_use", id: "s" }
    const extra = (dialect: "anthropic-messages" | "gemini") => ({
      dialect,
      fields: { container: { id: "c" }, content: [block], new_member: 1 },
    })
    expect(encode({ extra: extra("anthropic-messages") })).toMatchObject({
      content: [block],
      container: { id: "c" },
      new_member: 1,
    })
    expect(encode({ extra: extra("gemini") })).not.toHaveProperty("new_member")
    const unknown: Part = {
      type: "unknown",
      extra: { dialect: "anthropic-messages", fields: block },
    }
    expect(contentOf(unknown)).toEqual([block])
  })

  test("adds the cost to the usage", () => {
    const message = encode({})
    ANTHROPIC_MESSAGES.setCost(message, "0.00000125")
    expect(message.usage).toMatchObject({ output_tokens: 3, cost: 0.00000125 })
  })
})
