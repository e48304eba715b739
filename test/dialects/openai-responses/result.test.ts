import { describe, expect, test } from "bun:test"
import type { ChatResult, FinishReason } from "../../../src/canon/chat.ts"
import type { Part } from "../../../src/canon/message.ts"
import { asGatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { compactOf } from "../../../src/dialects/openai-responses/messages/compaction.ts"
import { REQUEST, requestOf } from "./support.ts"

function resultOf(parts: readonly Part[], finish: FinishReason = "stop"): ChatResult {
  return { id: "1", model: "vendor/model", created: 5, choices: [{ index: 0, parts, finish }] }
}

function encode(result: ChatResult, request = REQUEST): JsonObject {
  return OPENAI_RESPONSES.encodeResult(result, request)
}

describe("the Responses response encoder", () => {
  test("writes one item per part in order", () => {
    const { output } = encode(
      resultOf([
        { type: "reasoning", text: "Hm.", signature: "s", signedBy: "gemini", id: "rs_1" },
        { type: "text", text: "Rain.", citations: [{ url: "https://a.b", start: 0, end: 4 }] },
        { type: "refusal", text: "No more." },
        { type: "tool-call", id: "call_1", name: "weather", arguments: "{}" },
      ]),
    )
    expect(output).toEqual([
      {
        id: "rs_1",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm." }],
        encrypted_content: "s",
      },
      {
        id: expect.stringMatching(/^msg_/),
        type: "message",
        status: "completed",
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "Rain.",
            annotations: [
              {
                type: "url_citation",
                url: "https://a.b",
                title: "",
                start_index: 0,
                end_index: 4,
              },
            ],
            logprobs: [],
          },
          { type: "refusal", refusal: "No more." },
        ],
      },
      {
        id: expect.stringMatching(/^fc_/),
        type: "function_call",
        status: "completed",
        call_id: "call_1",
        name: "weather",
        arguments: "{}",
      },
    ])
  })

  test.each<[FinishReason, string, JsonObject | null]>([
    ["stop", "completed", null],
    ["tool-calls", "completed", null],
    ["other", "completed", null],
    ["length", "incomplete", { reason: "max_output_tokens" }],
    ["content-filter", "incomplete", { reason: "content_filter" }],
  ])("maps the finish reason %s to the status %s", (finish, status, details) => {
    const body = encode(resultOf([{ type: "text", text: "Hi" }], finish))
    expect(body).toMatchObject({ status, incomplete_details: details, output: [{ status }] })
    expect(body.completed_at === null).toBe(status === "incomplete")
  })

  test("repeats the request's fields and fills in OpenAI's defaults", () => {
    expect(encode(resultOf([]))).toMatchObject({
      id: "resp_1",
      object: "response",
      created_at: 5,
      model: "vendor/model",
      error: null,
      instructions: null,
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: true,
      previous_response_id: null,
      temperature: 1,
      top_p: 1,
      text: { format: { type: "text" } },
      truncation: "disabled",
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      reasoning: { effort: null, summary: null },
      max_output_tokens: null,
      max_tool_calls: null,
      store: false,
      background: false,
      service_tier: "default",
      safety_identifier: null,
      prompt_cache_key: null,
      metadata: {},
    })
    const request = OPENAI_RESPONSES.decodeRequest({
      model: "vendor/model",
      input: "Hi",
      instructions: "Be kind.",
      tools: [
        { type: "function", name: "a", parameters: {}, strict: true },
        { type: "web_search" },
      ],
      tool_choice: { type: "function", name: "a" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { effort: "low" },
      truncation: "auto",
      max_tool_calls: 3,
      metadata: { a: "b" },
      user: "u",
      store: true,
    })
    expect(encode(resultOf([]), request)).toMatchObject({
      instructions: "Be kind.",
      tools: [
        {
          type: "function",
          name: "a",
          description: null,
          parameters: {},
          strict: true,
        },
        { type: "web_search" },
      ],
      tool_choice: { type: "function", name: "a" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { effort: "low", summary: null },
      truncation: "auto",
      max_tool_calls: 3,
      metadata: { a: "b" },
      user: "u",
      store: false,
    })
  })

  test("writes the usage and its cost", () => {
    const usage = { ...NO_USAGE, inputFresh: 3, inputCacheWrite1h: 1, output: 9, audioOutput: 1 }
    const body = encode({ ...resultOf([]), usage })
    expect(body.usage).toEqual({
      input_tokens: 4,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 1 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 14,
    })
    OPENAI_RESPONSES.setCost(body, "0.000125")
    expect(body.usage).toMatchObject({ total_tokens: 14, cost: 0.000_125 })
  })

  test("writes extras only if they come from the Responses format", () => {
    const search = { type: "web_search_call", id: "ws_1" }
    const logprobs = [{ token: "Hi" }]
    const body = encode({
      ...resultOf([
        {
          type: "unknown",
          extra: { dialect: "openai-responses", fields: { web_search_call: search } },
        },
        { type: "unknown", extra: { dialect: "openai-chat", fields: { type: "custom" } } },
        { type: "text", text: "Hi" },
      ]),
      extra: { dialect: "openai-responses", fields: { service_tier: "priority" } },
    })
    expect(body).toMatchObject({ service_tier: "priority", output: [search, { type: "message" }] })
    const folded = resultOf([{ type: "text", text: "Hi" }])
    const choices = folded.choices.map((choice) => ({
      ...choice,
      extra: { dialect: "openai-responses" as const, fields: { output: [search], logprobs } },
    }))
    expect(encode({ ...folded, choices }).output).toMatchObject([
      { content: [{ logprobs }] },
      search,
    ])
  })

  test("writes distinct ids even if the vendor repeats ids", () => {
    const chunk: Part = { type: "reasoning", text: "Hm.", id: "rs_1" }
    const call: Part = { type: "tool-call", id: "call_1", name: "a", arguments: "{}" }
    const output = encode(resultOf([chunk, chunk, call, call])).output as JsonObject[]
    expect(new Set(output.map(({ id }) => id)).size).toBe(4)
    expect(new Set(output.slice(2).map(({ call_id: id }) => id)).size).toBe(2)
  })
})

describe("the Responses response decoder", () => {
  const body = { id: "resp_1", created_at: 5.5, model: "gpt", status: "completed" }

  test("decodes each item as a part", () => {
    const search = { type: "web_search_call", id: "ws_1" }
    expect(
      OPENAI_RESPONSES.decodeResult({
        ...body,
        service_tier: "flex",
        temperature: 1,
        output: [
          { type: "reasoning", id: "rs_0", summary: [] },
          {
            type: "reasoning",
            id: "rs_1",
            summary: [{ type: "summary_text", text: "Hm." }],
            encrypted_content: "s",
          },
          search,
          {
            type: "message",
            content: [
              { type: "output_text", text: "Hi", logprobs: [{ token: "Hi" }] },
              { type: "refusal", refusal: "No." },
              { type: "output_text", text: "" },
            ],
          },
          { type: "function_call", call_id: "call_1", name: "a", arguments: "" },
        ],
      }),
    ).toEqual({
      id: "resp_1",
      created: 5,
      model: "gpt",
      extra: { dialect: "openai-responses", fields: { service_tier: "flex" } },
      choices: [
        {
          index: 0,
          finish: "tool-calls",
          parts: [
            {
              type: "reasoning",
              text: "Hm.",
              signature: "s",
              signedBy: "openai-responses",
              id: "rs_1",
            },
            {
              type: "unknown",
              extra: { dialect: "openai-responses", fields: { web_search_call: search } },
            },
            { type: "text", text: "Hi" },
            { type: "refusal", text: "No." },
            { type: "tool-call", id: "call_1", name: "a", arguments: "{}" },
          ],
          extra: { dialect: "openai-responses", fields: { logprobs: [{ token: "Hi" }] } },
        },
      ],
    })
  })

  test.each<[JsonObject, FinishReason, string | undefined]>([
    [{}, "stop", undefined],
    [
      { incomplete_details: { reason: "max_output_tokens" }, status: "incomplete" },
      "length",
      undefined,
    ],
    [
      { incomplete_details: { reason: "content_filter" }, status: "incomplete" },
      "content-filter",
      undefined,
    ],
    [{ status: "queued" }, "other", "queued"],
  ])("maps a response with %j to the finish reason %s", (more, finish, rawFinish) => {
    const [choice] = OPENAI_RESPONSES.decodeResult({ ...body, output: [], ...more }).choices
    expect([choice?.finish, choice?.rawFinish]).toEqual([finish, rawFinish])
  })

  test("treats a cancelled response as a failed generation", () => {
    const cancelled = { ...body, output: [], status: "cancelled" }
    expect(() => OPENAI_RESPONSES.decodeResult(cancelled)).toThrow("failed while it wrote")
  })

  test("treats a body that is not a response as a vendor error", () => {
    expect(() => OPENAI_RESPONSES.decodeResult({ choices: [] })).toThrow("not a response")
  })

  test.each([
    ["server_error", "upstream_error", "The provider failed while it answered."],
    ["rate_limit_exceeded", "upstream_overloaded", "The provider is overloaded. Try again later."],
    ["vector_store_timeout", "upstream_timeout", "The provider did not answer in time."],
    ["invalid_image", "rejected_by_upstream", "Sorry."],
  ])("maps the error code %s to the error kind %s", (code, kind, message) => {
    let thrown: unknown
    try {
      const error = { code, message: "Sorry." }
      OPENAI_RESPONSES.decodeResult({ ...body, status: "failed", output: [], error })
    } catch (caught) {
      thrown = caught
    }
    expect(asGatewayError(thrown)).toMatchObject({ kind, message })
  })
})

test("the compacted form of a response contains only the text of the response", () => {
  const parts: Part[] = [
    { type: "reasoning", text: "Hm." },
    { type: "text", text: "Hel" },
    { type: "tool-call", id: "a", name: "a", arguments: "{}" },
    { type: "text", text: "lo" },
  ]
  expect(compactOf(resultOf(parts))).toEqual({ output: "Hello" })
  expect(compactOf({ choices: [] })).toEqual({ output: "" })
})

test("a Responses stream contains the request's fields like the complete response", () => {
  const request = requestOf({ temperature: 0.25, tools: [{ name: "a" }] })
  const [created] = OPENAI_RESPONSES.encodeEvents(request).push({
    type: "start",
    id: "1",
    created: 5,
  })
  const whole = encode(resultOf([]), request)
  expect(Object.keys(JSON.parse(created?.data ?? "").response)).toEqual(Object.keys(whole))
})
