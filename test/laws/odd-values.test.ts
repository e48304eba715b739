import { describe, expect, test } from "bun:test"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import type { SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { ResponseRecord } from "../../src/relay/metering/response-record.ts"
import { Meter } from "../../src/relay/metering/meter.ts"
import { ReasoningSigner } from "../../src/relay/chat/reasoning-envelope.ts"
import { TranscodingWriter, VerbatimWriter } from "../../src/relay/chat/stream-writer.ts"
import { EventStreamParser } from "../../src/wire/event-stream.ts"
import { SseParser } from "../../src/wire/sse.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"
import { vendorResponses } from "../recorded/vendor-responses.ts"
import { type Ending, USAGES, writtenResponse } from "../recorded/written-responses.ts"
import { IS_EXHAUSTIVE, sampleOf } from "../support/exhaustive.ts"
import { WITHOUT_FIXTURES } from "../support/recordings.ts"

const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const SIGNER = new ReasoningSigner("secret")

/**
 * Values that a field may contain although its dialect does not define them. Some of them cannot be converted to text.
 */
const ODD: readonly JsonValue[] = [
  null,
  "",
  "constructor",
  "12.5",
  -1,
  0.5,
  1e308,
  true,
  [],
  {},
  [null],
  [[]],
  { toString: 1, valueOf: 1, constructor: 1 },
  JSON.parse('{"__proto__":{"a":1}}') as JsonValue,
  [{ toString: 1, type: { toString: 1 } }, "text", 3],
  { data: "AAAA", type: { toString: 1 } },
]

type ValuePath = readonly (string | number)[]

function* pathsIn(value: JsonValue | undefined, at: ValuePath = []): Generator<ValuePath> {
  if (at.length > 0) yield at
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsIn(item, [...at, index])
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) yield* pathsIn(value[key], [...at, key])
  }
}

/** Returns a copy with another value at a path. If the value is undefined, the member is removed. */
function changed(
  value: JsonValue | undefined,
  [step, ...rest]: ValuePath,
  odd?: JsonValue,
): JsonValue {
  const replaced = (inner: JsonValue | undefined): JsonValue | undefined =>
    rest.length === 0 ? odd : changed(inner, rest, odd)
  if (Array.isArray(value)) {
    return value.flatMap((item, index): JsonValue[] => {
      const kept = index === step ? replaced(item) : item
      return kept === undefined ? [] : [kept]
    })
  }
  const copy: JsonObject = { ...(value as JsonObject) }
  copy[String(step)] = replaced(copy[String(step)])
  if (copy[String(step)] === undefined) delete copy[String(step)]
  return copy
}

/** Runs a reader, which may throw a gateway error: a vendor's response may be unreadable. */
function survive(path: ValuePath, odd: JsonValue | undefined, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "upstream_error") return
    throw new Error(`${path.join(".")} is ${JSON.stringify(odd)}`, { cause: error })
  }
}

/** Asserts that a choice is a valid index of a list, which the callers' clients require. */
function expectPlace(choice: number): void {
  expect(Number.isSafeInteger(choice) && choice >= 0).toBe(true)
}

function mustWork(tell: () => unknown): void {
  try {
    JSON.stringify(tell())
  } catch (error) {
    throw new Error("what was read cannot be told", { cause: error })
  }
}

function readWhole(upstream: UpstreamDialect, body: JsonObject): void {
  const result = upstream.decodeResult(body, REQUEST)
  for (const { index } of result.choices) expectPlace(index)
  const meter = new Meter()
  meter.result(result)
  new ResponseRecord(upstream.id).response(body)
  // At this point the response is already paid for, so faults must be found before it is encoded.
  for (const client of CLIENTS) mustWork(() => client.encodeResult(result, REQUEST))
  mustWork(() => upstream.patches?.result(structuredClone(body), REQUEST))
}

function readStream(upstream: UpstreamDialect, frames: readonly SseFrame[]): void {
  for (const client of CLIENTS) {
    const decoder = upstream.decodeEvents(REQUEST)
    const meter = new Meter(decoder.other)
    const record = new ResponseRecord(upstream.id)
    const writer =
      client.id === upstream.id && upstream.patches
        ? new VerbatimWriter(client, upstream.patches.frames(REQUEST))
        : new TranscodingWriter(client, client.encodeEvents(REQUEST), {
            model: REQUEST.model,
            signer: SIGNER,
            provider: "vendor",
            dialect: upstream.id,
          })
    for (const frame of frames) {
      const events = decoder.push(frame)
      for (const event of events) if ("choice" in event) expectPlace(event.choice)
      meter.push(events)
      if (frame.json) record.frame(frame.json)
      writer.push(frame, events)
    }
    const last = decoder.end()
    meter.push(last)
    writer.push(undefined, last)
    writer.end(1n)
  }
}

function framesOf(upstream: UpstreamDialect, body: string | Uint8Array): SseFrame[] {
  const parser = upstream.framing === "sse" ? new SseParser() : new EventStreamParser()
  const events = [...parser.push(Buffer.from(body as string)), ...parser.end()]
  return events.map((event) => {
    if (!event.data.startsWith("{")) return event
    return { ...event, json: JSON.parse(event.data) as JsonObject }
  })
}

/** `npm test` makes every eleventh change. There are 17 changes at each path, so the values rotate. */
const STEP = IS_EXHAUSTIVE ? 1 : 11
const RECORDED = vendorResponses().filter(({ status }) => status === 200)
const RECORDED_STEP = IS_EXHAUSTIVE ? 401 : 4_001

/** Reads a response with each unusual value at each path, or with every `step`-th of these changes. */
function attack(upstream: UpstreamDialect, response: ResponseBody, step = STEP): number {
  let count = 0
  const each = (
    value: JsonValue,
    read: (value: JsonValue, path: ValuePath, odd?: JsonValue) => void,
  ) => {
    for (const path of pathsIn(value)) {
      for (const odd of [undefined, ...ODD]) {
        if (count++ % step === 0) read(changed(value, path, odd), path, odd)
      }
    }
  }
  if (!response.isStream) {
    each(JSON.parse(String(response.body)) as JsonValue, (body, path, odd) =>
      survive(path, odd, () => readWhole(upstream, body as JsonObject)),
    )
    return count
  }
  const frames = framesOf(upstream, response.body)
  for (const [index, frame] of frames.entries()) {
    if (frame.json === undefined) continue
    each(frame.json, (value, path, odd) => {
      const json = value as JsonObject
      const odder = frames.with(index, { ...frame, data: JSON.stringify(json), json })
      survive([index, ...path], odd, () => readStream(upstream, odder))
    })
  }
  return count
}

interface ResponseBody {
  readonly isStream: boolean
  readonly body: string | Uint8Array
}

const WORDS: Partial<Record<DialectId, string>> = {
  "openai-responses": "completed",
  gemini: "STOP",
}

for (const upstream of UPSTREAMS) {
  describe(`the decoder of ${upstream.id}`, () => {
    for (const isStream of [false, true]) {
      for (const isCall of [false, true]) {
        const what = `${isStream ? "streamed" : "whole"}, ${isCall ? "a call" : "text"}`

        test(`reads or rejects unusual values in any field: ${what}`, () => {
          const word = WORDS[upstream.id] ?? "stop"
          const ending: Ending = { word, usage: USAGES[upstream.id], isCall }
          expect(
            attack(upstream, writtenResponse("x", upstream.id, ending, isStream)),
          ).toBeGreaterThan(100)
        })
      }
    }

    test(`reads or rejects unusual values in recordings${WITHOUT_FIXTURES}`, () => {
      const own = RECORDED.filter(({ dialect }) => dialect === upstream.id)
      for (const response of sampleOf(own, 3)) attack(upstream, response, RECORDED_STEP)
    })
  })
}
