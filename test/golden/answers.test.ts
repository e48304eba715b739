import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../src/canon/chat.ts"
import type { ClientDialect, SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import { type JsonObject, parseJsonObject } from "../../src/canon/json.ts"
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
 * `answers/<case>/<upstream>.json` and `.sse` are what a vendor answers, written by hand; beside them
 * `<upstream>--<client>` is what its caller gets. Frames of Bedrock, which are binary on the wire, stand
 * as the events that they are.
 */
const ROOT = "answers"

/** The public name of the model, which the relay puts in place of the vendor's. */
const MODEL = "any/model"

for (const name of listGolden(ROOT)) {
  describe(name, () => {
    test("nothing is left over", () => expectNothingLeftOver(`${ROOT}/${name}`))

    for (const upstream of UPSTREAMS) {
      const answered = `${ROOT}/${name}/${upstream.id}`
      // Not every vendor has such an answer.
      if (!hasGolden(`${answered}.json`)) continue
      for (const client of CLIENTS) {
        test(`${upstream.id} to ${client.id}, whole`, () => {
          const body = JSON.parse(readGolden(`${answered}.json`)) as JsonObject
          const asked = requestOf(upstream)
          const result = { ...upstream.decodeResult(body, asked), model: MODEL }
          const told = client.encodeResult(result, { ...asked, model: MODEL })
          expectGolden(`${answered}--${client.id}.json`, printJson(told))
        })
        test(`${upstream.id} to ${client.id}, streamed`, () => {
          const text = retold(framesOf(readGolden(`${answered}.sse`)), upstream, client)
          expectGolden(`${answered}--${client.id}.sse`, text)
        })
      }
    }
  })
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

/** The stream as the caller gets it: the relay's `TranscodingWriter`, less seals and cost. */
function retold(
  frames: readonly SseFrame[],
  upstream: UpstreamDialect,
  client: ClientDialect,
): string {
  const asked: ChatRequest = { ...requestOf(upstream), stream: true }
  const decoder = upstream.decodeEvents(asked)
  const encoder = client.encodeEvents({ ...asked, model: MODEL })
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
  expect(decoder.finished).toBe(true)
  const told = [...events.flatMap((event) => encoder.push(ours(event))), ...encoder.end()]
  return told.map(formatEvent).join("")
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
