import { describe, expect, test } from "bun:test"
import type { ChatRequest, ChatResult } from "../../../src/canon/chat.ts"
import type { Message, Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_CHAT, openAiChat } from "../../../src/dialects/openai-chat/index.ts"
import { KEEPING } from "./examples.ts"

function request(fields: Partial<ChatRequest> = {}): ChatRequest {
  return { model: "m", messages: [], stream: false, streamUsage: false, choices: 1, ...fields }
}

function encodeResult(result: ChatResult) {
  return OPENAI_CHAT.encodeResult(result, request({ model: "asked/model" }))
}

function encodeMessages(...messages: Message[]) {
  const { body, losses } = OPENAI_CHAT.encodeRequest(request({ messages }))
  return { messages: body.messages as JsonObject[], losses: losses.map(({ name }) => name) }
}

const foreign = { dialect: "anthropic-messages", fields: { cache_control: {} } } as const

describe("the OpenAI request encoder", () => {
  test("requests usage in every stream unless the vendor always sends usage", () => {
    const streamed = request({ stream: true })
    expect(OPENAI_CHAT.encodeRequest(streamed).body.stream_options).toEqual({ include_usage: true })
    const unasked = openAiChat({ usageInStream: "always" }).encodeRequest(streamed).body
    expect(unasked).toEqual({ model: "m", messages: [], stream: true })
  })

  test("sends the output limit in the vendor's field", () => {
    const limited = request({ maxTokens: 5, choices: 2 })
    expect(OPENAI_CHAT.encodeRequest(limited).body).toMatchObject({
      max_completion_tokens: 5,
      n: 2,
    })
    const older = openAiChat({ maxTokensField: "max_tokens" })
    expect(older.encodeRequest(limited).body).toMatchObject({ max_tokens: 5 })
  })

  test("reports lost fields", () => {
    const { body, losses } = OPENAI_CHAT.encodeRequest(
      request({
        topK: 5,
        previousResponse: "resp_1",
        extra: { dialect: "gemini", fields: { safetySettings: [] } },
        tools: [{ name: "f", extra: foreign }],
        messages: [
          {
            role: "user",
            parts: [
              { type: "text", text: "a", extra: foreign },
              { type: "image", source: { type: "reference", id: "file" } },
              { type: "audio", source: { type: "url", url: "https://host/a.wav" } },
              { type: "file", source: { type: "url", url: "https://host/a.pdf" } },
            ],
          },
          { role: "assistant", parts: [{ type: "reasoning", text: "hm", signature: "s" }] },
        ],
      }),
    )
    expect(body.messages).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: "" },
    ])
    expect(losses).toEqual(
      [
        ["cache_control", "image", "audio", "file.url", "reasoning.signature", "top_k"],
        ["previous_response_id", "safetySettings", "reasoning"],
      ]
        .flat()
        .map((name) => ({ name, effect: "dropped" })),
    )
  })

  test.each([
    [{ effort: "low" }, { reasoning_effort: "low" }, []],
    [{ budget: 0 }, { reasoning_effort: "none" }, []],
    [{ budget: 8000 }, { reasoning_effort: "high" }, ["reasoning_budget"]],
    [{ effort: "low", budget: 8000 }, { reasoning_effort: "low" }, ["reasoning_budget"]],
    [{ isAdaptive: true, summary: "auto" }, {}, []],
  ])("sends the reasoning effort: %p", (reasoning, fields, names) => {
    const limited = request({ reasoning, maxTokens: 10_000 })
    const { body, losses } = OPENAI_CHAT.encodeRequest(limited)
    expect(body).toEqual({ model: "m", messages: [], max_completion_tokens: 10_000, ...fields })
    expect(losses).toEqual(names.map((name) => ({ name, effect: "approximated" })))
  })

  test.each([
    [{ effort: "low" }, { effort: "low" }],
    [{ budget: 8000, effort: "low" }, { max_tokens: 8000 }],
    [{ budget: 0 }, { effort: "none" }],
    [{ isAdaptive: true }, { enabled: true }],
    [
      { effort: "high", summary: "none" },
      { effort: "high", exclude: true },
    ],
  ])("sends OpenRouter's reasoning object: %p", (order, reasoning) => {
    const { body, losses } = openAiChat(KEEPING).encodeRequest(
      request({
        reasoning: order,
        extra: { dialect: "openai-chat", fields: { reasoning: { x: 1 } } },
      }),
    )
    expect(body.reasoning).toEqual({ ...reasoning, x: 1 })
    expect(losses).toEqual([])
  })

  test("sends cache markers only to vendors that accept them", () => {
    const text = { type: "text", text: "a" } as const
    const marked = request({
      tools: [{ name: "f", cache: { ttl: "1h" } }],
      messages: [
        { role: "user", parts: [{ ...text, cache: {} }] },
        {
          role: "tool",
          parts: [{ type: "tool-result", id: "a", content: [text, text], cache: {} }],
        },
      ],
    })
    const { body, losses } = openAiChat(KEEPING).encodeRequest(marked)
    const mark = { cache_control: { type: "ephemeral" } }
    expect(body).toMatchObject({
      tools: [{ type: "function", cache_control: { type: "ephemeral", ttl: "1h" } }],
      messages: [{ content: [{ ...text, ...mark }] }, { content: [text, { ...text, ...mark }] }],
    })
    expect(losses).toEqual([])
    const without = OPENAI_CHAT.encodeRequest(marked)
    expect(JSON.stringify(without.body)).not.toContain("cache_control")
    expect(without.body.messages).toMatchObject([{ content: "a" }, { content: [text, text] }])
    expect(without.losses).toEqual([{ name: "cache_control", effect: "dropped" }])
  })

  test("drops cache markers on tool calls and on tool results without text", () => {
    const parts: Part[] = [{ type: "tool-call", id: "a", name: "f", arguments: "{}", cache: {} }]
    const responses: Part[] = [{ type: "tool-result", id: "a", content: [], cache: {} }]
    for (const [role, marked] of [["assistant", parts] as const, ["tool", responses] as const]) {
      const messages = [{ role, parts: marked }]
      const { body, losses } = openAiChat(KEEPING).encodeRequest(request({ messages }))
      expect(JSON.stringify(body)).not.toContain("cache_control")
      expect(losses).toEqual([{ name: "cache_control", effect: "dropped" }])
    }
  })

  test("drops citations of earlier turns", () => {
    const { messages, losses } = encodeMessages({
      role: "assistant",
      parts: [{ type: "text", text: "a", citations: [{ url: "https://host/a" }] }],
    })
    expect(messages).toEqual([{ role: "assistant", content: "a" }])
    expect(losses).toEqual(["citations"])
  })

  test("determines the type of an image from its bytes if the type is missing", () => {
    const { messages } = encodeMessages({
      role: "user",
      parts: [{ type: "image", source: { type: "base64", data: "/9j/4AAQ" } }],
    })
    expect(messages[0]?.content).toEqual([
      { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/4AAQ" } },
    ])
  })
})

describe("the OpenAI tool result encoder", () => {
  const image = {
    type: "image",
    source: { type: "url", url: "https://host/a.png" },
  } as const

  test("writes results as separate messages before the user's text", () => {
    const { messages, losses } = encodeMessages({
      role: "user",
      parts: [
        { type: "tool-result", id: "a", content: [{ type: "text", text: "1" }] },
        { type: "tool-result", id: "b", content: [], failed: true },
        { type: "text", text: "go on" },
      ],
    })
    expect(messages).toEqual([
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "" },
      { role: "user", content: "go on" },
    ])
    expect(losses).toEqual(["tool_result.failed"])
  })

  test("writes images of results after the last result", () => {
    const { messages, losses } = encodeMessages(
      { role: "tool", parts: [{ type: "tool-result", id: "a", content: [image] }] },
      {
        role: "tool",
        parts: [{ type: "tool-result", id: "b", content: [{ type: "text", text: "2" }] }],
      },
      { role: "assistant", parts: [{ type: "text", text: "fine" }] },
    )
    expect(messages.map(({ role }) => role)).toEqual(["tool", "tool", "user", "assistant"])
    expect(messages[2]?.content).toEqual([
      { type: "image_url", image_url: { url: "https://host/a.png" } },
    ])
    expect(losses).toEqual(["tool_result.media"])
  })

  test("keeps the legacy format of functions in calls and results", () => {
    const body = {
      model: "m",
      messages: [
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "ok" },
      ],
    }
    expect(OPENAI_CHAT.encodeRequest(OPENAI_CHAT.decodeRequest(body)).body).toEqual(body)
  })
})

describe("the OpenAI response encoder", () => {
  test("writes every member of OpenAI's own responses", () => {
    const encoded = encodeResult({
      id: "msg_1",
      model: "vendor/model",
      created: 5,
      usage: { ...NO_USAGE, inputFresh: 1, output: 2 },
      choices: [{ index: 0, parts: [{ type: "text", text: "Hi" }], finish: "stop" }],
    })
    expect(encoded).toEqual({
      id: "chatcmpl-msg_1",
      object: "chat.completion",
      created: 5,
      model: "vendor/model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      system_fingerprint: null,
      usage: {
        prompt_tokens: 1,
        completion_tokens: 2,
        total_tokens: 3,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    })
  })

  test("writes null content if a response has only calls", () => {
    const { choices } = encodeResult({
      choices: [
        {
          index: 0,
          parts: [
            { type: "reasoning", text: "hm", signature: "s" },
            { type: "tool-call", id: "a", name: "f", arguments: "{}" },
          ],
          finish: "tool-calls",
        },
      ],
    }) as { choices: JsonObject[] }
    expect(choices[0]).toMatchObject({
      message: {
        content: null,
        reasoning_content: "hm",
        reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s", index: 0 }],
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      finish_reason: "tool_calls",
    })
  })

  test("writes citations as annotations, with positions relative to the complete content", () => {
    const { choices } = encodeResult({
      choices: [
        {
          index: 0,
          parts: [
            { type: "text", text: "abc" },
            {
              type: "text",
              text: "def",
              citations: [
                { url: "https://host/a", title: "A", start: 1, end: 2, quote: "words" },
                { title: "a document of its own" },
              ],
            },
          ],
          finish: "stop",
          extra: { dialect: "openai-chat", fields: { message: { annotations: [{ type: "x" }] } } },
        },
      ],
    }) as { choices: JsonObject[] }
    const place = { url: "https://host/a", title: "A", start_index: 4, end_index: 5 }
    const whole = { url: "", title: "a document of its own", start_index: 3, end_index: 6 }
    expect(choices[0]?.message).toMatchObject({
      content: "abcdef",
      annotations: [
        { type: "url_citation", url_citation: { ...place, content: "words" } },
        { type: "url_citation", url_citation: whole },
        { type: "x" },
      ],
    })
  })

  test("adds missing fields, and drops extras of other dialects", () => {
    const extra = { dialect: "gemini", fields: { secret: 1 } } as const
    const encoded = encodeResult({
      extra,
      choices: [{ index: 0, parts: [], finish: "other", extra }],
    })
    expect(String(encoded.id)).toMatch(/^chatcmpl-.{20,}/)
    expect(encoded.model).toBe("asked/model")
    expect(JSON.stringify(encoded)).not.toContain("secret")
    expect(encoded.choices).toMatchObject([{ message: { content: "" }, finish_reason: "stop" }])
  })
})

test.each([undefined, { choices: "none" }, { error: { message: "m" } }])(
  "the OpenAI decoder rejects an invalid response: %p",
  (body) => {
    expect(() => OPENAI_CHAT.decodeResult(body ?? {})).toThrow("not a chat completion")
  },
)
