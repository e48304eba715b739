import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { foldEvents } from "../../../src/canon/fold.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { decodeStream } from "./support.ts"
import {
  RESPONSE,
  CREATED,
  completed,
  frames,
  decode,
  done,
  textDelta,
  message,
  START,
} from "./decoded-events.ts"

describe("the Responses decoder of the stream end", () => {
  test.each<[JsonObject, Partial<Extract<ChatEvent, { type: "finish" }>>]>([
    [{ status: "completed" }, { reason: "stop" }],
    [
      { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      { reason: "length" },
    ],
    [
      { status: "incomplete", incomplete_details: { reason: "content_filter" } },
      { reason: "content-filter" },
    ],
    [
      { status: "incomplete", incomplete_details: { reason: "boredom" } },
      { reason: "other", rawReason: "boredom" },
    ],
    [{ status: "incomplete" }, { reason: "other", rawReason: "incomplete" }],
  ])("maps the final response %j to a finish reason", (response, finish) => {
    const type = `response.${String(response.status)}`
    const told = decode(CREATED, { type, response: { ...RESPONSE, ...response } })
    expect(told.at(-1)).toEqual({ type: "finish", choice: 0, reason: "other", ...finish })
  })

  test("reads the usage", () => {
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
    expect(decode(CREATED, completed({ usage })).at(-1)).toMatchObject({
      type: "usage",
      usage: { inputFresh: 3, output: 4 },
    })
  })

  test("finishes at the response.completed event and ignores later frames", () => {
    const decoder = OPENAI_RESPONSES.decodeEvents()
    for (const frame of frames(CREATED, textDelta("Hi"))) decoder.push(frame)
    expect(decoder.finished).toBe(false)
    for (const frame of frames(completed())) decoder.push(frame)
    expect(decoder.finished).toBe(true)
    expect(decoder.push({ data: "[DONE]" })).toEqual([])
    expect(decoder.end()).toEqual([])
  })

  test("does not finish if the response.completed event is missing", () => {
    const decoder = OPENAI_RESPONSES.decodeEvents()
    for (const frame of frames(CREATED, done(0, message("Hi")))) decoder.push(frame)
    expect(decoder.end()).toEqual([])
    expect(decoder.finished).toBe(false)
  })
})

describe("the Responses decoder of stream errors", () => {
  const failed = {
    type: "response.failed",
    response: { ...RESPONSE, status: "failed", error: { code: "server_error", message: "Sorry." } },
  }

  test.each<[string, JsonObject]>([
    ["flat", { type: "error", code: "server_error", message: "Sorry.", param: null }],
    [
      "nested",
      {
        type: "error",
        error: { type: "server_error", code: null, message: "Sorry.", param: null },
      },
    ],
    ["as the response itself", failed],
  ])("reads an error that is sent %s", (_, event) => {
    const told = decode(CREATED, event, failed)
    expect(told).toEqual([START, errorEvent({ message: "Sorry.", code: "server_error" })])
  })

  test("reads a plain text error", () => {
    const told = decodeStream([{ event: "error", data: "overloaded" }])
    expect(told).toEqual([errorEvent({ message: "overloaded" })])
  })

  test("reads an error envelope without a type", () => {
    const told = decodeStream([{ data: '{"error":{"message":"No.","code":429}}' }])
    expect(told).toEqual([errorEvent({ message: "No.", code: "429" })])
  })
})

describe("the Responses decoder of unknown content", () => {
  test("keeps unknown items as extras", () => {
    const search = { type: "web_search_call", id: "ws_1" }
    expect(decode(CREATED, done(0, search), completed({ output: [search] }))).toEqual([
      START,
      {
        type: "choice-extra",
        choice: 0,
        extra: { dialect: "openai-responses", fields: { output: [search] } },
      },
      { type: "finish", choice: 0, reason: "stop" },
    ])
  })

  test("keeps log probabilities as extras", () => {
    const logprobs = [{ token: "Hi", logprob: -1 }]
    const content = [{ type: "output_text", text: "Hi", logprobs }]
    const told = decode(CREATED, done(0, { type: "message", content }), completed())
    expect(foldEvents(told).choices[0]?.extra?.fields).toEqual({ logprobs })
  })

  test("skips unknown events, keep-alive events and empty frames", () => {
    const told = decode(
      CREATED,
      { type: "keepalive", sequence_number: 1 },
      { type: "ping" },
      { type: "response.novelty.delta", output_index: 0, delta: "?" },
      { type: "response.output_item.added", output_index: 0, item: null },
      completed(),
    )
    expect(told).toEqual([START, { type: "finish", choice: 0, reason: "stop" }])
    expect(decodeStream([{ data: "" }])).toEqual([])
  })

  test("ignores arguments of a call that was never started", () => {
    const decoder = OPENAI_RESPONSES.decodeEvents()
    const delta = {
      type: "response.function_call_arguments.delta",
      output_index: 0,
      delta: '{"a":',
    }
    const told = frames(CREATED, delta).flatMap((frame) => decoder.push(frame))
    expect(told).toEqual([START])
    expect(decoder.other.characters).toBe(5)
  })

  test("rejects a frame that is not JSON", () => {
    expect(() => decodeStream([{ data: "<html>" }])).toThrow("not valid JSON")
  })
})
