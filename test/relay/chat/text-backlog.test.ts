import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { ReasoningSigner } from "../../../src/relay/chat/reasoning-envelope.ts"
import {
  type StreamWriter,
  TranscodingWriter,
  VerbatimWriter,
} from "../../../src/relay/chat/stream-writer.ts"
import { formatEvent } from "../../../src/wire/sse.ts"
import { CLIENTS, UPSTREAMS } from "../../golden/dialects.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const SIGNER = new ReasoningSigner("secret")
/** Quotes have two bytes in JSON. */
const QUOTES = 1_000_000
const TEXT = '"'.repeat(QUOTES)
/** Maximum characters of a slice: 128 K, and a further piece with 256 K escaped characters. */
const MAX_SLICE = 700_000

const EVENTS: readonly ChatEvent[] = [
  { type: "text-delta", choice: 0, text: TEXT },
  { type: "reasoning-delta", choice: 0, text: TEXT },
  { type: "refusal-delta", choice: 0, text: TEXT },
]
const CALL = { type: "tool-call-start", choice: 0, call: 0, id: "t", name: "f" } as const
const ARGUMENTS = { type: "tool-call-delta", choice: 0, call: 0, arguments: TEXT } as const

/** Returns the text of a writer, and checks that no turn of the event loop writes more than a slice. */
function written(text: string, { backlog }: Pick<StreamWriter, "backlog">): string {
  let all = text
  expect(text.length).toBeLessThan(MAX_SLICE)
  for (;;) {
    if (backlog?.isEmpty !== false) return all
    const slice = backlog.take()
    expect(slice.length).toBeLessThan(MAX_SLICE)
    all += slice
  }
}

/** Counts quotes within the strings of JSON. */
function quotesIn(text: string): number {
  return text.split('\\"').length - 1
}

describe.each(CLIENTS.map((client) => [client.id, client] as const))(
  "a stream of %s",
  (_, client) => {
    const writer = (): TranscodingWriter =>
      new TranscodingWriter(client, client.encodeEvents(REQUEST), {
        model: "m",
        signer: SIGNER,
        provider: "p",
        dialect: "cohere-chat",
      })

    test.each(EVENTS)("writes a long event in slices: $type", (event) => {
      const own = writer()
      const text = own.push(undefined, [{ type: "start" }, event])
      expect(quotesIn(written(text, own))).toBe(QUOTES)
    })

    test("writes long arguments of a call in slices and in order", () => {
      const own = writer()
      const text = own.push(undefined, [{ type: "start" }, CALL, ARGUMENTS])
      const after = own.push(undefined, [{ type: "finish", choice: 0, reason: "tool-calls" }])
      expect(after).toBe("")
      const all = written(text, own) + own.end(undefined)
      expect(all.indexOf('"f"')).toBeLessThan(all.indexOf('\\"'))
    })

    test("reports a failure after the long event that precedes it", () => {
      const own = writer()
      const text = own.push(undefined, [
        { type: "start" },
        { type: "text-delta", choice: 0, text: TEXT },
      ])
      const failure = own.fail(new GatewayError("upstream_error", "It failed."), "req_1")
      const all = written(text + failure, own)
      expect(quotesIn(all.slice(0, all.indexOf("It failed.")))).toBe(QUOTES)
    })
  },
)

const PATCHING = UPSTREAMS.flatMap(({ id, patches }) => {
  const client = CLIENTS.find((each) => each.id === id)
  return client && patches ? [[id, client, patches] as const] : []
})

test.each(PATCHING)(
  "a long event of %s for the same format is written in slices",
  (_, client, patches) => {
    const encoder = client.encodeEvents(REQUEST)
    const own = new VerbatimWriter(
      client,
      patches.frames({ model: "another", streamUsage: true, choices: 1 }),
    )
    const [delta] = EVENTS
    const frames = [{ type: "start" } as const, ...(delta ? [delta] : [])].flatMap((event) =>
      encoder.push(event),
    )
    const read = ({ event, data }: SseFrame): SseFrame => {
      const json = JSON.parse(data) as JsonObject
      return event === undefined ? { data, json } : { event, data, json }
    }
    const texts = frames.map((frame) => written(own.push(read(frame)), own))
    expect(quotesIn(texts.join(""))).toBe(QUOTES)
    expect(texts.join("").split("\n\n")).toHaveLength(
      frames.map(formatEvent).join("").split("\n\n").length,
    )
  },
)
