import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { COHERE_CHAT } from "../../../src/dialects/cohere-chat/index.ts"
import { requestOf } from "./fixtures.ts"

function response(more: JsonObject = {}, message: JsonObject = {}): JsonObject {
  const content = [{ type: "text", text: "Hi" }]
  return {
    id: "7f",
    message: { role: "assistant", content, ...message },
    finish_reason: "COMPLETE",
    ...more,
  }
}

function choiceOf(body: JsonObject, stop?: string[]) {
  const [choice] = COHERE_CHAT.decodeResult(
    body,
    requestOf(stop === undefined ? {} : { stop }),
  ).choices
  return choice
}

function usageOf(usage: JsonObject) {
  return COHERE_CHAT.decodeResult(response({ usage })).usage
}

test("the Cohere response decoder reads text", () => {
  expect(COHERE_CHAT.decodeResult(response())).toEqual({
    id: "7f",
    choices: [{ index: 0, parts: [{ type: "text", text: "Hi" }], finish: "stop" }],
  })
})

test("the Cohere response decoder reads thinking, a plan and calls", () => {
  const call = (id: string, written: string) => ({
    id,
    type: "function",
    function: { name: "clock", arguments: written },
  })
  const choice = choiceOf(
    response(
      { finish_reason: "TOOL_CALL" },
      {
        content: [{ type: "thinking", thinking: "Hmm." }],
        tool_plan: "I will look.",
        tool_calls: [call("a", '{"zone":"UTC"}'), call("b", ""), call("c", "null")],
      },
    ),
  )
  expect(choice).toEqual({
    index: 0,
    finish: "tool-calls",
    parts: [
      { type: "reasoning", text: "Hmm." },
      { type: "reasoning", text: "I will look." },
      { type: "tool-call", id: "a", name: "clock", arguments: '{"zone":"UTC"}' },
      { type: "tool-call", id: "b", name: "clock", arguments: "{}" },
      { type: "tool-call", id: "c", name: "clock", arguments: "{}" },
    ],
  })
})

test("the Cohere response decoder generates an id for a call without an id", () => {
  const calls = [{ type: "function", function: { name: "clock", arguments: "{}" } }]
  const [, part] = choiceOf(response({}, { tool_calls: calls }))?.parts ?? []
  expect(part).toMatchObject({ type: "tool-call", name: "clock" })
  expect(part?.type === "tool-call" && part.id).toMatch(/^call_[0-9A-Za-z]{24}$/)
})

test("the Cohere response decoder returns one citation per source, with the text of its content block", () => {
  const document = { id: "doc:0", title: "Facts", url: "https://a.b/c", text: "All of it." }
  const choice = choiceOf(
    response(
      {},
      {
        content: [
          { type: "text", text: "First. " },
          { type: "thinking", thinking: "Hmm." },
          { type: "text", text: "Second." },
        ],
        citations: [
          {
            start: 0,
            end: 6,
            text: "Second",
            sources: [
              { type: "document", id: "doc:0", document },
              { type: "tool", id: "t:0", tool_output: { content: "Sunny" } },
            ],
            content_index: 2,
            type: "TEXT_CONTENT",
          },
          { start: 0, end: 5, text: "First", sources: [{ type: "tool", id: "t:1" }] },
          { start: 0, end: 3, text: "Hmm", sources: [{}], type: "THINKING_CONTENT" },
        ],
      },
    ),
  )
  const source = (type: string, id: string) => ({
    dialect: "cohere-chat" as const,
    fields: { type, id },
  })
  expect(choice?.parts).toEqual([
    {
      type: "text",
      text: "First. ",
      citations: [{ start: 0, end: 5, extra: source("tool", "t:1") }],
    },
    { type: "reasoning", text: "Hmm." },
    {
      type: "text",
      text: "Second.",
      citations: [
        {
          url: "https://a.b/c",
          title: "Facts",
          quote: "All of it.",
          start: 0,
          end: 6,
          extra: source("document", "doc:0"),
        },
        { quote: "Sunny", start: 0, end: 6, extra: source("tool", "t:0") },
      ],
    },
  ])
})

describe("the Cohere finish reason decoder", () => {
  const ended = (finish_reason: string, stop?: string[]) => {
    const choice = choiceOf(response({ finish_reason }), stop)
    return [choice?.finish, choice?.rawFinish, choice?.stopSequence]
  }

  test("decodes each finish reason of Cohere", () => {
    expect(ended("COMPLETE")).toEqual(["stop", undefined, undefined])
    expect(ended("MAX_TOKENS")).toEqual(["length", undefined, undefined])
    // The response contains no call.
    expect(ended("TOOL_CALL")).toEqual(["stop", "TOOL_CALL", undefined])
    expect(() => ended("TIMEOUT")).toThrow("The provider failed")
    expect(ended("TOMORROWS_WORD")).toEqual(["other", "TOMORROWS_WORD", undefined])
  })

  test("reports the request's only stop string as matched", () => {
    expect(ended("STOP_SEQUENCE", ["END"])).toEqual(["stop", "STOP_SEQUENCE", "END"])
    expect(ended("STOP_SEQUENCE", ["END", "FIN"])).toEqual(["stop", "STOP_SEQUENCE", undefined])
    expect(ended("STOP_SEQUENCE")).toEqual(["stop", "STOP_SEQUENCE", undefined])
  })

  test("reports tool calls for a response with a call", () => {
    const calls = [{ id: "a", function: { name: "clock", arguments: "{}" } }]
    expect(choiceOf(response({}, { tool_calls: calls }))).toMatchObject({
      finish: "tool-calls",
      rawFinish: "COMPLETE",
    })
  })

  test("rejects a response with the finish reason ERROR", () => {
    expect(() => choiceOf(response({ finish_reason: "ERROR" }))).toThrow(GatewayError)
  })
})

describe("the Cohere usage decoder", () => {
  test("reads the billed tokens, which include reasoning", () => {
    const usage = usageOf({
      billed_units: { input_tokens: 44, output_tokens: 2692 },
      tokens: { input_tokens: 1430, output_tokens: 2697, reasoning_tokens: 2463 },
      cached_tokens: 1392,
    })
    expect(usage).toMatchObject({
      inputFresh: 44,
      inputCacheRead: 0,
      output: 2692,
      reasoning: 2463,
      searches: 0,
    })
  })

  test("counts images in addition to the input", () => {
    const tokens = { input_tokens: 34, output_tokens: 56, reasoning_tokens: 0, image_tokens: 259 }
    expect(usageOf({ tokens, cached_tokens: 0 })).toMatchObject({ inputFresh: 293, output: 56 })
  })

  test("counts searches in addition to the billed tokens", () => {
    const billed_units = { input_tokens: 5, output_tokens: 7, search_units: 2 }
    expect(usageOf({ billed_units })).toMatchObject({ inputFresh: 5, output: 7, searches: 2 })
  })

  test("limits cached tokens to the input tokens", () => {
    const usage = usageOf({ tokens: { input_tokens: 7, output_tokens: 1 }, cached_tokens: 163 })
    expect(usage).toMatchObject({ inputFresh: 0, inputCacheRead: 7 })
  })

  test("returns undefined if usage is missing", () => {
    expect(usageOf({})).toBeUndefined()
    expect(COHERE_CHAT.decodeResult(response()).usage).toBeUndefined()
  })
})

test("the Cohere response decoder keeps unknown fields as Cohere extras", () => {
  const logprobs = [{ text: "Hi", token_ids: [1], logprobs: [-0.5] }]
  const result = COHERE_CHAT.decodeResult(response({ logprobs, meta: 1 }, { mood: "good" }))
  expect(result.extra).toEqual({ dialect: "cohere-chat", fields: { meta: 1 } })
  expect(result.choices[0]?.extra).toEqual({
    dialect: "cohere-chat",
    fields: { logprobs, message: { mood: "good" } },
  })
})

test("the Cohere response decoder rejects an invalid body", () => {
  for (const body of [{}, { message: "gone" }, { message: [] }]) {
    expect(() => COHERE_CHAT.decodeResult(body as JsonObject)).toThrow(
      "The provider's response is not a chat message.",
    )
  }
})
