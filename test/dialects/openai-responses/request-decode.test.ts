import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../../src/canon/chat.ts"
import type { Message } from "../../../src/canon/message.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"

const DIALECT = "openai-responses"

function decode(body: JsonObject): ChatRequest {
  return OPENAI_RESPONSES.decodeRequest({ model: "vendor/model", input: "Hello", ...body })
}

function messagesOf(...input: JsonValue[]): readonly Message[] {
  return decode({ input }).messages
}

describe("the Responses input decoder", () => {
  test("converts a text input to a user message", () => {
    expect(decode({})).toEqual({
      model: "vendor/model",
      messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
      stream: false,
      streamUsage: true,
      choices: 1,
    })
  })

  test("converts instructions to a system message at the start", () => {
    expect(decode({ instructions: "Be kind." }).messages).toEqual([
      { role: "system", parts: [{ type: "text", text: "Be kind." }] },
      { role: "user", parts: [{ type: "text", text: "Hello" }] },
    ])
    expect(decode({ instructions: "" }).messages.length).toBe(1)
  })

  test("reads messages without a type, with text or parts", () => {
    expect(
      messagesOf(
        { role: "developer", content: "Be brief." },
        { role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { type: "message", role: "assistant", content: "Hello" },
      ),
    ).toEqual([
      { role: "developer", parts: [{ type: "text", text: "Be brief." }] },
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
      { role: "assistant", parts: [{ type: "text", text: "Hello" }] },
    ])
  })

  test("reads images by URL, by data and by file id", () => {
    const [message] = messagesOf({
      role: "user",
      content: [
        { type: "input_image", image_url: "https://example.com/a.png", detail: "low" },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
        { type: "input_image", file_id: "file-1" },
      ],
    })
    expect(message?.parts).toEqual([
      { type: "image", source: { type: "url", url: "https://example.com/a.png" }, detail: "low" },
      {
        type: "image",
        source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" },
      },
      { type: "image", source: { type: "reference", id: "file-1" } },
    ])
  })

  test("reads files by URL, by data and by file id", () => {
    const [message] = messagesOf({
      role: "user",
      content: [
        { type: "input_file", file_url: "https://example.com/a.pdf" },
        {
          type: "input_file",
          filename: "a.pdf",
          file_data: "data:application/pdf;base64,JVBERi0=",
        },
        { type: "input_file", file_data: "JVBERi0=", detail: "low" },
        { type: "input_file", file_id: "file-1" },
      ],
    })
    expect(message?.parts).toEqual([
      { type: "file", source: { type: "url", url: "https://example.com/a.pdf" } },
      {
        type: "file",
        source: { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
        name: "a.pdf",
      },
      {
        type: "file",
        source: { type: "base64", data: "JVBERi0=" },
        extra: { dialect: DIALECT, fields: { detail: "low" } },
      },
      { type: "file", source: { type: "reference", id: "file-1" } },
    ])
  })

  test("reads audio, and breakpoints of the cache", () => {
    const [message] = messagesOf({
      role: "user",
      content: [
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        { type: "input_text", text: "Long", prompt_cache_breakpoint: { mode: "explicit" } },
      ],
    })
    expect(message?.parts).toEqual([
      { type: "audio", source: { type: "base64", data: "UklGRg==" }, format: "wav" },
      { type: "text", text: "Long", cache: {} },
    ])
  })

  test("joins successive assistant items into one message in order", () => {
    const messages = messagesOf(
      { role: "user", content: "Weather?" },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "First." },
          { type: "summary_text", text: "Then." },
        ],
        encrypted_content: "opaque",
      },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        phase: "commentary",
        content: [
          {
            type: "output_text",
            text: "I will ask.",
            logprobs: [],
            annotations: [
              {
                type: "url_citation",
                url: "https://example.com",
                title: "E",
                start_index: 2,
                end_index: 6,
              },
            ],
          },
          { type: "refusal", refusal: "But not that." },
        ],
      },
      { type: "function_call", id: "fc_1", call_id: "a", name: "weather", arguments: "" },
      { type: "function_call", call_id: "b", name: "weather", arguments: '{"city":"Bonn"}' },
      { type: "function_call_output", call_id: "b", output: "Rain" },
      {
        type: "function_call_output",
        call_id: "a",
        output: [
          { type: "input_text", text: "See" },
          { type: "input_image", image_url: "https://example.com/a.png" },
        ],
      },
    )
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        parts: [
          {
            type: "reasoning",
            text: "First.\n\nThen.",
            signature: "opaque",
            signedBy: DIALECT,
            id: "rs_1",
          },
          {
            type: "text",
            text: "I will ask.",
            citations: [{ url: "https://example.com", title: "E", start: 2, end: 6 }],
            extra: { dialect: DIALECT, fields: { phase: "commentary" } },
          },
          { type: "refusal", text: "But not that." },
          { type: "tool-call", id: "a", name: "weather", arguments: "{}" },
          { type: "tool-call", id: "b", name: "weather", arguments: '{"city":"Bonn"}' },
        ],
      },
      {
        role: "tool",
        parts: [{ type: "tool-result", id: "b", content: [{ type: "text", text: "Rain" }] }],
      },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            id: "a",
            content: [
              { type: "text", text: "See" },
              { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            ],
          },
        ],
      },
    ])
  })

  test("reads reasoning in plain text, and keeps a reference to reasoning unchanged", () => {
    const pointer = { type: "reasoning", id: "rs_1", summary: [] }
    const [message] = messagesOf(
      {
        type: "reasoning",
        summary: [],
        content: [{ type: "reasoning_text", text: "Hm." }],
        encrypted_content: null,
      },
      pointer,
      { role: "assistant", content: "Hi" },
    )
    expect(message?.parts).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "unknown", extra: { dialect: DIALECT, fields: { reasoning: pointer } } },
      { type: "text", text: "Hi" },
    ])
  })

  test("keeps items of the vendor's own tools as extras with their type", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" }
    const reference = { id: "msg_1" }
    const vendors = { type: "acme:scan", id: "1" }
    expect(messagesOf(search, { role: "assistant", content: "Hi" }, reference, vendors)).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "unknown", extra: { dialect: DIALECT, fields: { web_search_call: search } } },
          { type: "text", text: "Hi" },
        ],
      },
      {
        role: "user",
        parts: [
          { type: "unknown", extra: { dialect: DIALECT, fields: { item_reference: reference } } },
        ],
      },
      {
        role: "user",
        parts: [{ type: "unknown", extra: { dialect: DIALECT, fields: { "acme:scan": vendors } } }],
      },
    ])
  })

  test("ignores a message member named __proto__", () => {
    const body = JSON.parse('{"role":"user","content":"Hi","__proto__":{"a":1},"mood":"good"}')
    const [message] = messagesOf(body)
    expect(message?.extra?.fields).toEqual({ mood: "good" })
  })
})

describe("the Responses parameter decoder", () => {
  test("maps parameters to canonical names", () => {
    const request = decode({
      stream: true,
      max_output_tokens: 10,
      temperature: 2,
      top_p: 0.5,
      presence_penalty: -1,
      frequency_penalty: 1,
      top_logprobs: 2,
      parallel_tool_calls: false,
      metadata: { a: "b" },
      service_tier: "flex",
      user: "u",
      safety_identifier: "s",
      prompt_cache_key: "k",
      previous_response_id: "resp_1",
      reasoning: { effort: "low", generate_summary: "concise" },
    })
    expect(request).toMatchObject({
      stream: true,
      maxTokens: 10,
      temperature: 2,
      topP: 0.5,
      presencePenalty: -1,
      frequencyPenalty: 1,
      logprobs: true,
      topLogprobs: 2,
      parallelToolCalls: false,
      metadata: { a: "b" },
      serviceTier: "flex",
      user: "u",
      safetyIdentifier: "s",
      promptCacheKey: "k",
      previousResponse: "resp_1",
      reasoning: { effort: "low", summary: "concise" },
    })
    expect(request.extra).toBeUndefined()
  })

  test.each<[JsonObject, Partial<ChatRequest>]>([
    [{ format: { type: "text" } }, { responseFormat: { type: "text" } }],
    [{ format: { type: "json_object" } }, { responseFormat: { type: "json-object" } }],
    [
      { format: { type: "json_schema", name: "a", schema: {}, strict: true, description: "d" } },
      {
        responseFormat: {
          type: "json-schema",
          name: "a",
          schema: {},
          strict: true,
          description: "d",
        },
      },
    ],
    [{ verbosity: "low" }, { verbosity: "low" }],
  ])("reads the text option %j", (text, expected) => {
    expect(decode({ text })).toMatchObject(expected)
  })

  test("reads functions, and keeps other tools and tool choices as extras", () => {
    const request = decode({
      tools: [
        { type: "function", name: "a", description: null, parameters: { type: "object" } },
        { type: "function", name: "b", strict: true, defer_loading: true },
        { type: "web_search" },
      ],
      tool_choice: { type: "web_search" },
    })
    expect(request.tools).toEqual([
      { name: "a", parameters: { type: "object" } },
      {
        name: "b",
        strict: true,
        extra: { dialect: DIALECT, fields: { defer_loading: true } },
      },
    ])
    expect(request.toolChoice).toBeUndefined()
    expect(request.extra?.fields).toEqual({
      tools: [{ type: "web_search" }],
      tool_choice: { type: "web_search" },
    })
  })

  test.each<[JsonValue, ChatRequest["toolChoice"]]>([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "required" }],
    [
      { type: "function", name: "a" },
      { type: "tool", name: "a" },
    ],
  ])("reads tool_choice %j", (choice, expected) => {
    expect(decode({ tool_choice: choice }).toolChoice).toEqual(expected)
  })

  test("drops parameters with default values", () => {
    const request = decode({
      store: false,
      background: false,
      truncation: "disabled",
      include: ["reasoning.encrypted_content"],
      stream_options: { include_obfuscation: true },
      top_logprobs: 0,
      conversation: null,
    })
    expect(request).toEqual(decode({}))
  })

  test("keeps Responses-only parameters, so that their loss is reported", () => {
    const fields = {
      store: true,
      truncation: "auto",
      max_tool_calls: 3,
      prompt_cache_retention: "24h",
      novelty: { a: 1 },
    }
    const request = decode({
      ...fields,
      include: ["reasoning.encrypted_content", "file_search_call.results"],
      reasoning: { effort: "low", context: "all_turns" },
    })
    expect(request.extra).toEqual({
      dialect: DIALECT,
      fields: {
        ...fields,
        include: ["file_search_call.results"],
        reasoning: { context: "all_turns" },
      },
    })
  })

  test("reads a request for log probabilities in the field include", () => {
    const request = decode({ include: ["message.output_text.logprobs"] })
    expect(request.logprobs).toBe(true)
    expect(request.extra).toBeUndefined()
  })

  test.each(["previous_response_id", "conversation"])(
    "accepts a request without input if it has %s",
    (name) => {
      const body = { model: "m", [name]: "id" }
      expect(OPENAI_RESPONSES.decodeRequest(body).messages).toEqual([])
    },
  )
})
