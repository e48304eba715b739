import { describe, expect, test } from "bun:test"
import type { ChatEvent } from "../../../src/canon/chat.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { OPENAI_RESPONSES } from "../../../src/dialects/openai-responses/index.ts"
import { errorEvent } from "../../../src/dialects/shared/errors.ts"
import { encodeStream, jsonOf, lastResponse, readByClient, REQUEST, requestOf } from "./support.ts"

const START: ChatEvent = { type: "start", id: "1", model: "vendor/model", created: 5 }
const STOP: ChatEvent = { type: "finish", choice: 0, reason: "stop" }

function text(words: string): ChatEvent {
  return { type: "text-delta", choice: 0, text: words }
}

function thought(words: string): ChatEvent {
  return { type: "reasoning-delta", choice: 0, text: words }
}

function signature(signed: string, isRedacted = false): ChatEvent {
  const event = { type: "reasoning-signature", choice: 0, signature: signed } as const
  return { ...event, signedBy: "anthropic-messages", ...(isRedacted ? { isRedacted } : {}) }
}

function call(number: number, id: string): ChatEvent {
  return { type: "tool-call-start", choice: 0, call: number, id, name: "weather" }
}

function written(number: number, words: string): ChatEvent {
  return { type: "tool-call-delta", choice: 0, call: number, arguments: words }
}

/** Returns the types of events without their common prefix. Consecutive equal types are listed once. */
function orderOf(events: readonly ChatEvent[]): unknown[] {
  const types = jsonOf(encodeStream(events)).map(({ type }) =>
    String(type).replace("response.", ""),
  )
  return types.filter((type, index) => type !== types[index - 1])
}

describe("the Responses stream encoder", () => {
  test("follows OpenAI's event order for text", () => {
    expect(orderOf([START, text("Hel"), text("lo"), STOP])).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ])
  })

  test("follows OpenAI's event order for reasoning before a call", () => {
    expect(
      orderOf([START, thought("H"), thought("m"), signature("s"), call(0, "a"), STOP]),
    ).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "completed",
    ])
  })

  test("follows OpenAI's event order for a refusal after text", () => {
    const refusal: ChatEvent = { type: "refusal-delta", choice: 0, text: "No." }
    expect(orderOf([START, text("Well."), refusal, STOP]).slice(3)).toEqual([
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "content_part.added",
      "refusal.delta",
      "refusal.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ])
  })

  test("follows OpenAI's event order for an empty response", () => {
    expect(orderOf([])).toEqual(["created", "in_progress", "completed"])
  })
})

test("the Responses stream encoder writes the type of each event as its name, and a sequence number", () => {
  const frames = encodeStream([START, thought("Hm."), text("Hi"), call(0, "a"), STOP])
  for (const [index, { event, data }] of frames.entries()) {
    expect(JSON.parse(data)).toMatchObject({ type: event, sequence_number: index })
  }
})

test("the Responses stream encoder starts with a response that has all fields and an empty output", () => {
  const [created] = jsonOf(encodeStream([START], requestOf({ temperature: 0.5 })))
  expect(created?.response).toMatchObject({
    id: "resp_1",
    object: "response",
    created_at: 5,
    status: "in_progress",
    completed_at: null,
    model: "vendor/model",
    output: [],
    usage: null,
    store: false,
    temperature: 0.5,
  })
})

test("the Responses stream encoder uses the model of the request if the stream names no model", () => {
  expect(lastResponse(encodeStream([text("Hi")]))).toMatchObject({
    model: REQUEST.model,
    id: expect.stringMatching(/^resp_/),
  })
})

test("the Responses stream encoder separates interleaved calls into items", async () => {
  const frames = encodeStream([
    START,
    call(0, "call_a"),
    written(0, '{"city":'),
    call(1, "call_b"),
    written(1, '{"city":"Rome"}'),
    written(0, '"Bonn"}'),
    { type: "finish", choice: 0, reason: "tool-calls" },
  ])
  const expected = [
    { call_id: "call_a", arguments: '{"city":"Bonn"}', status: "completed" },
    { call_id: "call_b", arguments: '{"city":"Rome"}', status: "completed" },
  ]
  expect(lastResponse(frames).output).toMatchObject(expected)
  expect((await readByClient(frames)).output).toMatchObject(expected)
  const added = jsonOf(frames).filter(({ type }) => type === "response.output_item.added")
  const done = jsonOf(frames).filter(({ type }) => type === "response.output_item.done")
  const idOf = ({ item }: JsonObject) => (item as JsonObject).id
  expect(added.map(idOf)).toEqual(done.map(idOf))
  expect(new Set(added.map(idOf)).size).toBe(2)
})

test("the Responses stream encoder writes an empty object for a call without arguments", async () => {
  const { output } = await readByClient(encodeStream([START, call(0, "a"), STOP]))
  expect(output).toMatchObject([{ type: "function_call", call_id: "a", arguments: "{}" }])
})

test("the Responses stream encoder replaces a duplicate call id", async () => {
  const { output } = await readByClient(encodeStream([START, call(0, "a"), call(1, "a"), STOP]))
  expect(output).toMatchObject([{ call_id: "a" }, { call_id: expect.stringMatching(/^call_/) }])
})

test("the Responses stream encoder writes signatures in reasoning items, without the text of redacted reasoning", async () => {
  const { output } = await readByClient(
    encodeStream([
      START,
      thought("Hm."),
      signature("opaque"),
      thought("Ah."),
      signature("hidden", true),
      text("Hi"),
      STOP,
    ]),
  )
  expect(output).toMatchObject([
    { type: "reasoning", summary: [{ text: "Hm." }], encrypted_content: "opaque" },
    { type: "reasoning", summary: [{ text: "Ah." }] },
    { type: "reasoning", summary: [], encrypted_content: "hidden" },
    { type: "message" },
  ])
  expect(output[1]).not.toHaveProperty("encrypted_content")
})

test("the Responses stream encoder writes sources as annotations of the text before them", async () => {
  const citation = { url: "https://example.com", title: "E", start: 0, end: 2 }
  const frames = encodeStream([
    START,
    text("Hi"),
    { type: "citation", choice: 0, citation },
    { type: "citation", choice: 0, citation: { title: "A page without an address" } },
    STOP,
  ])
  const annotation = {
    type: "url_citation",
    url: "https://example.com",
    title: "E",
    start_index: 0,
    end_index: 2,
  }
  expect(jsonOf(frames)).toContainEqual(
    expect.objectContaining({
      type: "response.output_text.annotation.added",
      annotation_index: 0,
      annotation,
    }),
  )
  expect((await readByClient(frames)).output).toMatchObject([
    { content: [{ text: "Hi", annotations: [annotation] }] },
  ])
})

test("the Responses stream encoder keeps the positions of log probabilities and of items of the vendor's tools", async () => {
  const own = (fields: JsonObject): ChatEvent => ({
    type: "choice-extra",
    choice: 0,
    extra: { dialect: "openai-responses", fields },
  })
  const search = { type: "web_search_call", id: "ws_1", status: "completed" }
  const logprob = { token: "Hi", logprob: -0.5, bytes: [72, 105], top_logprobs: [] }
  const { output } = await readByClient(
    encodeStream([
      START,
      own({ output: [search] }),
      text("Hi"),
      own({ logprobs: [logprob] }),
      STOP,
    ]),
  )
  expect(output).toMatchObject([search, { content: [{ text: "Hi", logprobs: [logprob] }] }])
})

test("the Responses stream encoder drops content of other dialects and all choices but the first", () => {
  const frames = encodeStream([
    START,
    {
      type: "choice-extra",
      choice: 0,
      extra: { dialect: "openai-chat", fields: { output: [{}] } },
    },
    { type: "text-delta", choice: 1, text: "Other" },
    STOP,
  ])
  expect(lastResponse(frames).output).toEqual([])
})

describe("the Responses encoder of the stream end", () => {
  test.each([
    ["stop", "response.completed", "completed", null],
    ["tool-calls", "response.completed", "completed", null],
    ["other", "response.completed", "completed", null],
    ["length", "response.completed", "incomplete", { reason: "max_output_tokens" }],
    ["content-filter", "response.completed", "incomplete", { reason: "content_filter" }],
  ] as const)(
    "writes the status of a response with the finish reason %s",
    (reason, type, status, details) => {
      const frames = encodeStream([START, text("Hi"), { type: "finish", choice: 0, reason }])
      expect(frames.at(-1)?.event).toBe(type)
      expect(lastResponse(frames)).toMatchObject({
        status,
        incomplete_details: details,
        output: [{ status }],
      })
    },
  )

  test("sends the last event only when usage and cost are available", () => {
    const encoder = OPENAI_RESPONSES.encodeEvents(REQUEST)
    const usage = { ...NO_USAGE, inputFresh: 3, inputCacheRead: 2, output: 9, reasoning: 4 }
    const events: ChatEvent[] = [START, text("Hi"), STOP, { type: "usage", usage }]
    const told = events.flatMap((event) => encoder.push(event))
    expect(told.at(-1)?.event).toBe("response.output_item.done")
    const [last, ...rest] = encoder.end()
    expect(rest).toEqual([])
    expect(last?.json?.response).toMatchObject({
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 14,
      },
    })
    OPENAI_RESPONSES.setCost(last?.json ?? {}, "0.25")
    expect(last?.json?.response).toMatchObject({ usage: { cost: 0.25, total_tokens: 14 } })
  })
})

describe("the Responses stream encoder of a broken stream", () => {
  const error = new GatewayError("upstream_timeout", "The provider did not answer in time.")

  test("sends the error and the incomplete response", () => {
    const encoder = OPENAI_RESPONSES.encodeEvents(REQUEST)
    const events = [START, text("Hel"), call(0, "a")]
    const told = events.flatMap((event) => encoder.push(event))
    const [first, second, ...rest] = encoder.fail(error, "request_1")
    expect(rest).toEqual([])
    expect([first?.event, second?.event]).toEqual(["error", "response.failed"])
    expect(JSON.parse(first?.data ?? "")).toEqual({
      type: "error",
      code: "upstream_timeout",
      message: "The provider did not answer in time.",
      param: null,
      error_type: "upstream_timeout",
      request_id: "request_1",
      sequence_number: told.length,
    })
    expect(JSON.parse(second?.data ?? "")).toMatchObject({
      sequence_number: told.length + 1,
      response: {
        status: "failed",
        error: { code: "server_error", message: "The provider did not answer in time." },
        output: [
          { type: "message", status: "completed", content: [{ text: "Hel" }] },
          { type: "function_call", status: "incomplete" },
        ],
        usage: null,
      },
    })
    expect(encoder.end()).toEqual([])
  })

  test("writes the start events first if the stream has not started", () => {
    const frames = OPENAI_RESPONSES.encodeEvents(REQUEST).fail(error, "request_1")
    expect(frames.map(({ event }) => event)).toEqual([
      "response.created",
      "response.in_progress",
      "error",
      "response.failed",
    ])
  })

  test("sends the vendor's message, and no events after it", () => {
    const encoder = OPENAI_RESPONSES.encodeEvents(REQUEST)
    encoder.push(START)
    const frames = encoder.push(errorEvent({ message: "Overloaded", code: "overloaded_error" }))
    expect(jsonOf(frames)).toMatchObject([
      { type: "error", message: "Overloaded", code: "overloaded_error" },
      { type: "response.failed", response: { error: { message: "Overloaded" } } },
    ])
    expect(encoder.end()).toEqual([])
  })

  test.each([
    ["upstream_overloaded", "rate_limit_exceeded"],
    ["rejected_by_upstream", "invalid_prompt"],
    ["internal_error", "server_error"],
  ] as const)("writes the error kind %s as the code %s", (kind, code) => {
    const frames = OPENAI_RESPONSES.encodeEvents(REQUEST).fail(new GatewayError(kind, "No."), "r")
    expect(lastResponse(frames)).toMatchObject({ error: { code } })
  })

  test("sends an error that makes the official client throw", async () => {
    const encoder = OPENAI_RESPONSES.encodeEvents(REQUEST)
    const frames = [
      ...encoder.push(START),
      ...encoder.push(text("Hi")),
      ...encoder.fail(error, "r"),
    ]
    await expect(readByClient(frames)).rejects.toThrow("The provider did not answer in time.")
  })
})
