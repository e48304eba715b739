import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest, ChatResult } from "../../src/canon/chat.ts"
import type { EventEncoder, SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import { foldEvents } from "../../src/canon/fold.ts"
import type { Part } from "../../src/canon/message.ts"
import { type JsonObject, type JsonValue, parseJsonObject } from "../../src/canon/json.ts"
import { totalInput, totalOutput } from "../../src/canon/usage.ts"
import { ANTHROPIC_MESSAGES } from "../../src/dialects/anthropic-messages/index.ts"
import { formatEvent } from "../../src/wire/sse.ts"
import { CLIENTS, MODELS, UPSTREAMS } from "./dialects.ts"
import {
  expectGolden,
  expectNothingLeftOver,
  hasGolden,
  listGolden,
  readGolden,
} from "./golden-file.ts"
import { printJson } from "./print-json.ts"

/**
 * `answers/<case>/<upstream>.json` and `.sse` are responses of a vendor that were written by hand.
 * `<upstream>--canon.json` is the canonical form of both. `<REFERENCE>--<client>` contains each client's form of the
 * response of `REFERENCE`. For the other responses, there is no file for each pair. Instead, a client's form of the
 * response is decoded by the client's dialect and must have the same content. Bedrock's frames are binary and are
 * listed as events.
 */
const ROOT = "answers"

/** The upstream that has a response in every case. */
const REFERENCE = ANTHROPIC_MESSAGES.id

/** The public name of the model. The relay replaces the vendor's name with it. */
const MODEL = "any/model"

for (const name of listGolden(ROOT)) {
  describe(`the golden response ${name}`, () => {
    test("has no unused golden files", () => expectNothingLeftOver(`${ROOT}/${name}`))

    for (const upstream of UPSTREAMS) {
      const answered = `${ROOT}/${name}/${upstream.id}`
      // Some vendors have no such response.
      if (!hasGolden(`${answered}.json`)) continue
      const whole = () => wholeOf(readGolden(`${answered}.json`), upstream)
      const streamed = () => eventsOf(framesOf(readGolden(`${answered}.sse`)), upstream)
      test(`decodes from ${upstream.id} to the canon`, () => {
        const canon = JSON.stringify({ whole: whole(), streamed: streamed() }, counted)
        expectGolden(`${answered}--canon.json`, printJson(JSON.parse(canon) as JsonObject))
      })
      for (const client of CLIENTS) {
        test(`translates from ${upstream.id} to ${client.id}`, () => {
          const asked: ChatRequest = { ...requestOf(upstream), model: MODEL }
          const body = client.encodeResult({ ...whole(), model: MODEL }, asked)
          const frames = retold(streamed(), client.encodeEvents({ ...asked, stream: true }))
          if (upstream.id === REFERENCE) {
            expectGolden(`${answered}--${client.id}.json`, printJson(body))
            expectGolden(`${answered}--${client.id}.sse`, frames.map(formatEvent).join(""))
          }
          const reader = UPSTREAMS.find(({ id }) => id === client.id)
          if (!reader) throw new Error(`nothing reads ${client.id}`)
          expectSame(reader.decodeResult(body, asked), whole())
          expectSame(foldEvents(eventsOf(parsed(frames), reader)), foldEvents(streamed()))
        })
      }
    }
  })
}

/** Members whose numbers are positions and not quantities. */
const INDICES: ReadonlySet<string> = new Set(["index", "choice", "call", "start", "end"])

/**
 * Asserts that two results have the same content. A dialect without a part for refusals expresses a refusal with the
 * finish reason, or only with text.
 */
function expectSame(actual: ChatResult, expected: ChatResult): void {
  const isRefused = expected.choices.some(({ parts }) => parts.some(isRefusal))
  const ends = ({ choices }: ChatResult) => choices.map(({ finish }) => finish)
  expect(essenceOf(actual)).toEqual(essenceOf(expected))
  if (!isRefused) expect(ends(actual)).toEqual(ends(expected))
}

function isRefusal({ type }: Part): boolean {
  return type === "refusal"
}

/** Omits unused classes of usage, so that a new class does not change the files. */
function counted(name: string, value: unknown): unknown {
  return value === 0 && !INDICES.has(name) ? undefined : value
}

/** Returns the parts of a response that every dialect must keep. */
function essenceOf({ choices, usage }: ChatResult) {
  return {
    choices: choices.map(({ parts }) => ({
      text: parts.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join(""),
      calls: parts.flatMap((part) =>
        part.type === "tool-call" ? [[part.name, JSON.parse(part.arguments) as JsonValue]] : [],
      ),
    })),
    input: usage && totalInput(usage),
    output: usage && totalOutput(usage),
  }
}

function requestOf({ id }: UpstreamDialect): ChatRequest {
  return {
    model: MODELS[id],
    messages: [{ role: "user", parts: [{ type: "text", text: "What is new in Rome?" }] }],
    stream: false,
    streamUsage: true,
    choices: 1,
    maxTokens: 1000,
    stop: ["END"],
  }
}

function wholeOf(text: string, upstream: UpstreamDialect): ChatResult {
  return upstream.decodeResult(JSON.parse(text) as JsonObject, requestOf(upstream))
}

function eventsOf(frames: readonly SseFrame[], upstream: UpstreamDialect): ChatEvent[] {
  const decoder = upstream.decodeEvents({ ...requestOf(upstream), stream: true })
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
  expect(decoder.finished).toBe(true)
  return events
}

/** Returns the stream as the caller receives it from the relay's `TranscodingWriter`, without signatures and cost. */
function retold(events: readonly ChatEvent[], encoder: EventEncoder): SseFrame[] {
  return [...events.flatMap((event) => encoder.push(ours(event))), ...encoder.end()]
}

function parsed(frames: readonly SseFrame[]): SseFrame[] {
  return framesOf(frames.map(formatEvent).join(""))
}

function ours(event: ChatEvent): ChatEvent {
  return event.type === "start" ? { ...event, model: MODEL } : event
}

function framesOf(text: string): SseFrame[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((block) => block !== "")
    .map((block) => {
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? ""
      const event = /^event: (.*)$/m.exec(block)?.[1]
      const json = parseJsonObject(data)
      return { ...(event === undefined ? {} : { event }), data, ...(json && { json }) }
    })
}
