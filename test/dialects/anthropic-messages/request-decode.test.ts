import { describe, expect, test } from "bun:test"
import type { Message } from "../../../src/canon/message.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { decodeCountRequest } from "../../../src/dialects/anthropic-messages/request/decode.ts"
import { decode } from "./decoded-request.ts"

const PNG = "iVBORw0KGgo="

function messagesOf(...messages: JsonValue[]): readonly Message[] {
  return decode({ messages }).messages
}

function userParts(...content: JsonValue[]) {
  return messagesOf({ role: "user", content })[0]?.parts
}

describe("the Anthropic request decoder", () => {
  test("decodes a request with only the required fields", () => {
    expect(decode({})).toEqual({
      model: "a/b",
      messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
      stream: false,
      streamUsage: false,
      choices: 1,
      maxTokens: 100,
    })
  })

  test("decodes a request with every canonical field", () => {
    const request = decode({
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ["END"],
      metadata: { user_id: "u-1" },
      service_tier: "auto",
    })
    expect(request).toMatchObject({
      stream: true,
      streamUsage: true,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      stop: ["END"],
      user: "u-1",
      serviceTier: "auto",
    })
    expect(request).not.toHaveProperty("extra")
    expect(decode({ service_tier: "standard_only" }).serviceTier).toBe("default")
  })

  test("treats null like a missing field", () => {
    const nothing = {
      system: null,
      temperature: null,
      tools: null,
      tool_choice: null,
      thinking: null,
      output_config: null,
      metadata: null,
      stop_sequences: null,
      cache_control: null,
    }
    expect(decode(nothing)).toEqual(decode({}))
  })

  test("keeps Anthropic-only fields as extras", () => {
    const fields = {
      context_management: { edits: [] },
      container: "c-1",
      mcp_servers: [{ type: "url" }],
      inference_geo: "us",
      metadata: { user_id: "u", other: 1 },
      output_config: { effort: "low", task_budget: { total: 5 } },
      thinking: { type: "between_tools" },
      anything: { at: ["all"] },
    }
    const { extra, user, reasoning } = decode(fields)
    expect(extra).toEqual({
      dialect: "anthropic-messages",
      fields: {
        context_management: { edits: [] },
        container: "c-1",
        mcp_servers: [{ type: "url" }],
        inference_geo: "us",
        metadata: { other: 1 },
        output_config: { task_budget: { total: 5 } },
        thinking: { type: "between_tools" },
        anything: { at: ["all"] },
      },
    })
    expect([user, reasoning]).toEqual(["u", { effort: "low" }])
  })

  test("requires no max_tokens in a token count request", () => {
    const messages = [{ role: "user", content: "Hi" }]
    expect(decodeCountRequest({ model: "a/b", messages })).not.toHaveProperty("maxTokens")
  })
})

describe("the Anthropic instruction decoder", () => {
  test("puts instructions first, in the form of text or of blocks with cache markers", () => {
    expect(decode({ system: "Be brief." }).messages[0]).toEqual({
      role: "system",
      parts: [{ type: "text", text: "Be brief." }],
    })
    const cache = { type: "ephemeral", ttl: "1h" }
    const system = [
      { type: "text", text: "A" },
      { type: "text", text: "B", cache_control: cache },
    ]
    expect(decode({ system }).messages[0]?.parts).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B", cache: { ttl: "1h" } },
    ])
    expect(decode({ system: "" }).messages).toHaveLength(1)
    expect(decode({ system: [] }).messages).toHaveLength(1)
  })
})

describe("the Anthropic turn decoder", () => {
  test("accepts user and assistant turns in any order", () => {
    const roles = messagesOf(
      { role: "assistant", content: "Hello" },
      { role: "user", content: "A" },
      { role: "user", content: "B" },
      { role: "assistant", content: "The answer is (" },
    ).map(({ role }) => role)
    expect(roles).toEqual(["assistant", "user", "user", "assistant"])
  })

  test("decodes a turn without text as a message without parts", () => {
    expect(messagesOf({ role: "user", content: "" }, { role: "assistant", content: [] })).toEqual([
      { role: "user", parts: [] },
      { role: "assistant", parts: [] },
    ])
  })

  test("decodes tool results as separate messages before the text of their turn", () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "f", input: { x: 1 } })
    const result = (id: string, content?: JsonValue) => ({
      type: "tool_result",
      tool_use_id: id,
      ...(content === undefined ? {} : { content }),
    })
    const messages = messagesOf(
      { role: "user", content: "Go" },
      { role: "assistant", content: [call("a"), call("b")] },
      {
        role: "user",
        content: [
          result("a", "one"),
          { ...result("b", [{ type: "text", text: "two" }]), is_error: true },
          { type: "text", text: "And?" },
        ],
      },
    )
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "tool-call", id: "a", name: "f", arguments: '{"x":1}' },
          { type: "tool-call", id: "b", name: "f", arguments: '{"x":1}' },
        ],
      },
      {
        role: "tool",
        parts: [
          { type: "tool-result", id: "a", content: [{ type: "text", text: "one" }] },
          { type: "tool-result", id: "b", content: [{ type: "text", text: "two" }], failed: true },
        ],
      },
      { role: "user", parts: [{ type: "text", text: "And?" }] },
    ])
  })

  test("accepts tool results in two consecutive user messages, and unanswered calls in the last turn", () => {
    const calls = ["a", "b"].map((id) => ({ type: "tool_use", id, name: "f", input: {} }))
    const results = ["a", "b"].map((id) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id }],
    }))
    const asking = { role: "assistant", content: calls }
    expect(messagesOf(asking, ...results).map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "tool",
    ])
    expect(messagesOf({ role: "user", content: "Go" }, asking)).toHaveLength(2)
  })
})

describe("the Anthropic block decoder", () => {
  test("reads images as base64, by URL and by file id", () => {
    const image = (source: JsonObject) => ({ type: "image", source })
    expect(
      userParts(
        image({ type: "base64", media_type: "image/png", data: PNG }),
        image({ type: "url", url: "https://example.com/a.png" }),
        image({ type: "file", file_id: "file_1" }),
      ),
    ).toEqual([
      { type: "image", source: { type: "base64", data: PNG, mediaType: "image/png" } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { type: "reference", id: "file_1" } },
    ])
  })

  test("reads documents as PDF, text, URL and file id, and keeps documents with blocks as extras", () => {
    const document = (source: JsonObject, more: JsonObject = {}) => ({
      type: "document",
      source,
      ...more,
    })
    const chunks = document({ type: "content", content: "Hi" })
    const about = { title: "T", citations: { enabled: true }, context: "C" }
    expect(
      userParts(
        document({ type: "base64", media_type: "application/pdf", data: "JVBERi0=" }, about),
        document({ type: "text", media_type: "text/plain", data: "Grüße" }),
        document({ type: "url", url: "https://example.com/a.pdf" }),
        document({ type: "file", file_id: "file_2" }),
        chunks,
      ),
    ).toEqual([
      {
        type: "file",
        source: { type: "base64", data: "JVBERi0=", mediaType: "application/pdf" },
        name: "T",
        extra: {
          dialect: "anthropic-messages",
          fields: { citations: { enabled: true }, context: "C" },
        },
      },
      {
        type: "file",
        source: { type: "base64", data: "R3LDvMOfZQ==", mediaType: "text/plain", writtenBytes: 7 },
      },
      { type: "file", source: { type: "url", url: "https://example.com/a.pdf" } },
      { type: "file", source: { type: "reference", id: "file_2" } },
      { type: "unknown", extra: { dialect: "anthropic-messages", fields: chunks } },
    ])
  })

  test("attributes signed thinking to Anthropic and leaves other thinking unsigned", () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZGF0YQ==" },
      { type: "thinking", thinking: "Elsewhere.", signature: "" },
    ]
    expect(messagesOf({ role: "assistant", content })[0]?.parts).toEqual([
      { type: "reasoning", text: "Hm.", signature: "c2ln", signedBy: "anthropic-messages" },
      {
        type: "reasoning",
        text: "",
        signature: "ZGF0YQ==",
        signedBy: "anthropic-messages",
        isRedacted: true,
      },
      { type: "reasoning", text: "Elsewhere." },
    ])
  })

  test("keeps all fields of blocks for Anthropic's own tools", () => {
    const content = [
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "compaction", content: "Earlier." },
    ]
    expect(messagesOf({ role: "assistant", content })[0]?.parts).toEqual(
      content.map((fields) => ({
        type: "unknown",
        extra: { dialect: "anthropic-messages", fields },
      })),
    )
  })

  test("keeps the field `caller` of a programmatic tool call", () => {
    const call = { type: "tool_use", id: "a", name: "f", input: {} }
    const program = { type: "code_execution_20260120", tool_id: "s" }
    const content = [
      { ...call, caller: { type: "direct" } },
      { ...call, id: "b", caller: program },
    ]
    const parts = messagesOf({ role: "assistant", content })[0]?.parts
    expect(parts?.[0]).not.toHaveProperty("extra")
    expect(parts?.[1]).toMatchObject({ extra: { fields: { caller: program } } })
  })

  test("accepts images, files and Anthropic-only blocks in tool results", () => {
    const reference = { type: "tool_reference", tool_name: "g" }
    const parts = messagesOf(
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [
              reference,
              { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
            ],
          },
        ],
      },
    )[1]?.parts
    expect(parts).toEqual([
      {
        type: "tool-result",
        id: "a",
        content: [
          {
            type: "text",
            text: "Found the tool `g`.",
            standsFor: { dialect: "anthropic-messages", fields: reference },
          },
          { type: "image", source: { type: "base64", data: PNG, mediaType: "image/png" } },
        ],
      },
    ])
  })

  test("keeps Anthropic's own fields of citations", () => {
    const page = {
      type: "page_location",
      cited_text: "words",
      document_index: 0,
      document_title: "Book",
      start_page_number: 1,
      end_page_number: 2,
    }
    const content = [{ type: "text", text: "As is written.", citations: [page] }]
    expect(messagesOf({ role: "assistant", content })[0]?.parts).toEqual([
      {
        type: "text",
        text: "As is written.",
        citations: [
          {
            title: "Book",
            quote: "words",
            extra: { dialect: "anthropic-messages", fields: page },
          },
        ],
      },
    ])
  })
})
