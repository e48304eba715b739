import { describe, expect, test } from "bun:test"
import { createParser } from "eventsource-parser"
import * as fc from "fast-check"
import type { ChatEvent, ChatRequest, ChatResult } from "../../src/canon/chat.ts"
import type { Part } from "../../src/canon/message.ts"
import type { SseFrame } from "../../src/canon/dialect.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import type { JsonObject, JsonValue } from "../../src/canon/json.ts"
import { openAiChat } from "../../src/dialects/openai-chat/index.ts"
import { formatEvent } from "../../src/wire/sse.ts"
import { choice, events, result } from "./openai-chat-responses.ts"
import { word } from "./openai-chat-parts.ts"
import { request } from "./openai-chat-requests.ts"

/** Uses the quirks with which the most features are kept, so that the law covers as many features as possible. */
const dialect = openAiChat({
  reasoningHistory: "details",
  reasoningForm: "object",
  cacheControl: true,
  fileUrls: true,
  topK: true,
})

const STREAMING: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 2,
}

function encode(events: readonly ChatEvent[]): SseFrame[] {
  const encoder = dialect.encodeEvents(STREAMING)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

function decode(frames: readonly SseFrame[]): ChatEvent[] {
  const decoder = dialect.decodeEvents()
  return [...frames.flatMap((frame) => decoder.push({ data: frame.data })), ...decoder.end()]
}

/** Converts a value to its form in JSON. In this form, a message without content contains an empty text. */
function onWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/**
 * Asserts that the events are the same. Citations may move to the end of their choice, and all other events keep their
 * order.
 */
function expectSame(decoded: readonly ChatEvent[], events: readonly ChatEvent[]): void {
  const isOther = ({ type }: ChatEvent) => type !== "citation"
  expect(decoded.filter(isOther)).toEqual(onWire(events.filter(isOther)))
  for (const choice of [0, 1]) {
    const isOfChoice = (event: ChatEvent) => "choice" in event && event.choice === choice
    expect(decoded.filter(isOfChoice)).toEqual(onWire(events.filter(isOfChoice)))
  }
}

describe("OpenAI: decoding an encoded value", () => {
  test("returns the same request", () => {
    fc.assert(
      fc.property(request, (request) => {
        const { body, losses } = dialect.encodeRequest(request)
        expect(losses).toEqual([])
        expect(dialect.decodeRequest(onWire(body))).toEqual(onWire(request))
      }),
    )
  })

  test("returns the messages that the caller sends back", () => {
    fc.assert(
      fc.property(choice, (choice) => {
        const { choices } = onWire(dialect.encodeResult({ choices: [choice] }, STREAMING)) as {
          choices: { message: JsonObject }[]
        }
        const messages = choices.map(({ message }) => message)
        const [message] = dialect.decodeRequest({ model: "m", messages }).messages
        expect(message?.parts).toEqual(onWire(choice.parts) as Part[])
      }),
    )
  })

  test("returns the same whole response", () => {
    fc.assert(
      fc.property(result, (result) => {
        expect(dialect.decodeResult(onWire(dialect.encodeResult(result, STREAMING)))).toEqual(
          onWire(result),
        )
      }),
    )
  })

  test("returns the same stream", () => {
    fc.assert(
      fc.property(events, (events) => {
        expectSame(decode(encode(events)), events)
      }),
    )
  })
})

describe("an OpenAI stream", () => {
  test("decodes to the same result for any split of its bytes", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 30 })
    fc.assert(
      fc.property(events, cuts, (events, cuts) => {
        const bytes = new TextEncoder().encode(encode(events).map(formatEvent).join(""))
        const received: SseFrame[] = []
        const parser = createParser({ onEvent: ({ data }) => received.push({ data }) })
        const decoder = new TextDecoder()
        let start = 0
        for (const length of [...cuts, bytes.length]) {
          parser.feed(decoder.decode(bytes.subarray(start, start + length), { stream: true }))
          start += length
        }
        expectSame(decode(received), events)
      }),
    )
  })

  test("yields the same response when it is joined", () => {
    fc.assert(
      fc.property(events, (events) => {
        const folded = foldEvents(events)
        expect(folded.choices.length).toBe(2)
        const again = dialect.decodeResult(onWire(dialect.encodeResult(folded, STREAMING)))
        expect(textOf(again)).toEqual(textOf(folded))
        expect(again.usage).toEqual(folded.usage)
        expect(again.choices.map(({ finish }) => finish)).toEqual(
          folded.choices.map(({ finish }) => finish),
        )
      }),
    )
  })
})

function textOf({ choices }: ChatResult): unknown {
  return choices.map(({ parts }) => {
    const written = { text: "", refusal: "", reasoning: "", calls: "" }
    for (const part of parts) {
      if (part.type === "tool-call") written.calls += `${part.id} ${part.name} ${part.arguments} `
      else if (part.type in written) written[part.type as "text"] += (part as { text: string }).text
    }
    return written
  })
}

/** Generates almost correct objects, which have the right names and arbitrary values. */
const near = (names: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.dictionary(
    fc.oneof(fc.constantFrom(...names), word),
    fc.jsonValue() as fc.Arbitrary<JsonValue>,
  )

function onlyGatewayErrors(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError)
  }
}

describe("the OpenAI decoder on arbitrary values", () => {
  const anyBody = fc.oneof(
    near(["model", "messages", "tools", "stop", "response_format", "metadata", "stream_options"]),
    near(["role", "content", "tool_calls", "reasoning_details"]).map((message) => ({
      model: "m",
      messages: [{ role: "assistant", ...message }],
    })),
    near(["type", "text", "image_url", "file", "input_audio"]).map((part) => ({
      model: "m",
      messages: [{ role: "user", content: [part] }],
    })),
  )
  const anyResponse = fc.oneof(
    near(["id", "choices", "usage", "x_groq", "error", "created"]),
    near(["index", "message", "delta", "finish_reason"]).map((choice) => ({ choices: [choice] })),
    near(["content", "tool_calls", "reasoning", "reasoning_details", "function_call"]).map(
      (delta) => ({ choices: [{ delta, message: delta }] }),
    ),
  ) as fc.Arbitrary<JsonObject>

  test("reads or rejects each value as a request", () => {
    fc.assert(
      fc.property(anyBody as fc.Arbitrary<JsonObject>, (body) => {
        onlyGatewayErrors(() => dialect.encodeRequest(dialect.decodeRequest(body)))
        dialect.patches.request(body, { model: "up", maxTokens: 5 })
      }),
    )
  })

  test("reads or rejects each value as a response", () => {
    fc.assert(
      fc.property(anyResponse, fc.boolean(), (response, streamUsage) => {
        onlyGatewayErrors(() => dialect.encodeResult(dialect.decodeResult(response), STREAMING))
        const data = JSON.stringify(response)
        onlyGatewayErrors(() => encode(decode([{ data }, { data }, { data: "[DONE]" }])))
        const patch = { model: "m", streamUsage }
        const patched = dialect.patches.frames(patch).push({ data, json: response })
        if (patched.usageCarrier) dialect.setCost(patched.usageCarrier, "1")
        dialect.decodeError(400, response)
        dialect.patches.result(response, patch)
      }),
    )
  })
})
