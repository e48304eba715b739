import { afterAll, expect, test } from "bun:test"
import * as fc from "fast-check"
import { exceptionFrame } from "../../simulator/bedrock-converse/event-frame.ts"
import type { ChatRequest } from "../../src/canon/chat.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import type { ClientDialect, UpstreamDialect } from "../../src/canon/dialect.ts"
import { asGatewayError } from "../../src/canon/errors.ts"
import { Meter } from "../../src/relay/metering/meter.ts"
import { ReasoningSigner } from "../../src/relay/chat/reasoning-envelope.ts"
import {
  type StreamWriter,
  TranscodingWriter,
  VerbatimWriter,
} from "../../src/relay/chat/stream-writer.ts"
import { UpstreamStream } from "../../src/relay/chat/upstream-stream.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"
import { responseOf, AttemptWorld } from "./attempt-world.ts"
import {
  streamOf,
  USAGES,
  type WrittenEvent,
  writtenEvents,
} from "../recorded/written-responses.ts"
import { IS_EXHAUSTIVE, sampleCombinations } from "../support/exhaustive.ts"

const REQUEST: ChatRequest = {
  model: "vendor/model",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1,
}
const WORDS = "The vendor is out of breath"
/** Matches the gateway's messages. It reports an overload with a message of its own. */
const FAILED = /The provider failed while it answered|overloaded/
const SIGNER = new ReasoningSigner("secret")
const READS_ON = "the stream is read on behind its end"

const world = new AttemptWorld()
afterAll(() => world[Symbol.dispose]())

function bytesOf(dialect: DialectId, events: readonly WrittenEvent[]): Uint8Array {
  const { body } = streamOf(dialect, events)
  return typeof body === "string" ? Buffer.from(body) : body
}

/** Returns the frames of a simple response of a vendor, each as bytes. */
function framesOf(dialect: DialectId, isCall: boolean): Uint8Array[] {
  const words = { "openai-responses": "completed", gemini: "STOP" }
  const word = { ...words }[String(dialect)] ?? "stop"
  const events = writtenEvents(dialect, { word, usage: USAGES[dialect], isCall })
  return events.map((event) => bytesOf(dialect, [event]))
}

/**
 * Returns the ways in which a stream may end after its beginning. Empty bytes mean that the vendor only closes the
 * connection.
 */
function endingsOf(dialect: DialectId): Record<string, Uint8Array> {
  if (dialect === "bedrock-converse") {
    const failure = JSON.stringify({ message: WORDS })
    return {
      error: exceptionFrame("modelStreamErrorException", failure),
      broken: Buffer.from("\0\0\0\x10\0\0\0\0wrong\0\0\0\0\0\0\0", "latin1"),
      cut: Buffer.from("\0\0\u0001\0", "latin1"),
      nothing: new Uint8Array(),
    }
  }
  const error: Partial<Record<DialectId, WrittenEvent>> = {
    "openai-responses": ["error", { type: "error", code: "server_error", message: WORDS }],
    "anthropic-messages": [
      "error",
      { type: "error", error: { type: "overloaded_error", message: WORDS } },
    ],
    "cohere-chat": [
      "message-end",
      { type: "message-end", delta: { finish_reason: "ERROR", error: WORDS } },
    ],
  }
  const usual: WrittenEvent = ["", { error: { message: WORDS, code: 500 } }]
  return {
    error: bytesOf(dialect, [error[dialect] ?? usual]),
    broken: Buffer.from("data: {not json}\n\n"),
    cut: Buffer.from('data: {"type'),
    nothing: new Uint8Array(),
  }
}

interface Ended {
  readonly text: string
  readonly isOver: boolean
  readonly failure: string | undefined
}

/**
 * Reads a stream to its end.
 * @throws when it is read more often than there are chunks.
 */
async function readWhole(
  client: ClientDialect,
  upstream: UpstreamDialect,
  chunks: readonly Uint8Array[],
): Promise<Ended> {
  let reads = 0
  const type =
    upstream.framing === "sse" ? "text/event-stream" : "application/vnd.amazon.eventstream"
  const response = responseOf(type, () => {
    // An endless loop would block this process, so a timer could not detect it.
    if (++reads > chunks.length + 1) throw new Error(READS_ON)
    return chunks[reads - 1]
  })
  return world.with(upstream, REQUEST, async (attempt) => {
    const decoder = upstream.decodeEvents(REQUEST)
    const parts = { decoder, meter: new Meter(decoder.other), writer: writerOf(client, upstream) }
    let text = ""
    try {
      const stream = await UpstreamStream.open(attempt, response, parts)
      do text += await stream.read()
      while (!stream.isOver)
      return { text: text + stream.writer.end(1n), isOver: true, failure: undefined }
    } catch (error) {
      const failure = asGatewayError(error)
      if (reads > chunks.length + 1) throw new Error(READS_ON, { cause: error })
      expect(failure.kind).toBeOneOf(["upstream_error", "upstream_overloaded"])
      return { text, isOver: false, failure: failure.message }
    }
  })
}

function writerOf(client: ClientDialect, upstream: UpstreamDialect): StreamWriter {
  if (client.id === upstream.id && upstream.patches) {
    return new VerbatimWriter(client, upstream.patches.frames(REQUEST))
  }
  return new TranscodingWriter(client, client.encodeEvents(REQUEST), {
    model: REQUEST.model,
    signer: SIGNER,
    provider: "vendor",
    dialect: upstream.id,
  })
}

/** Whether frames form a complete response if the vendor then closes the connection. */
async function isWhole(upstream: UpstreamDialect, frames: readonly Uint8Array[]): Promise<boolean> {
  const [client] = CLIENTS
  if (!client) throw new Error("there is no client")
  return (await readWhole(client, upstream, frames)).isOver
}

/** Yields all ways to merge adjacent frames into chunks. Each bit determines whether a chunk ends after a frame. */
function* merges(frames: readonly Uint8Array[]): Generator<Uint8Array[]> {
  for (let cuts = 0; cuts < 2 ** Math.max(0, frames.length - 1); cuts++) {
    const chunks: Uint8Array[] = []
    let open: Uint8Array[] = []
    for (const [index, frame] of frames.entries()) {
      open.push(frame)
      if ((cuts & (1 << index)) === 0 && index < frames.length - 1) continue
      chunks.push(Buffer.concat(open))
      open = []
    }
    yield chunks
  }
}

for (const [upstream, client, isCall] of sampleCombinations(4, UPSTREAMS, CLIENTS, [false, true])) {
  const frames = framesOf(upstream.id, isCall)
  const what = `${upstream.id} to ${client.id}, ${isCall ? "a call" : "text"}`

  test(`a stream ends in every combination of merged frames and failures: ${what}`, async () => {
    for (const [name, ending] of Object.entries(endingsOf(upstream.id))) {
      for (let place = 0; place <= frames.length; place++) {
        const begun = frames.slice(0, place)
        const mayEnd = await isWhole(upstream, begun)
        const all = name === "nothing" ? begun : [...begun, ending]
        for (const chunks of merges(all)) {
          const { isOver, failure } = await readWhole(client, upstream, chunks)
          if (!mayEnd) expect({ name, place, isOver }).toEqual({ name, place, isOver: false })
          if (!mayEnd && name === "error") expect(failure).toMatch(FAILED)
        }
      }
    }
  })

  test(`a stream decodes to the same result for any split of its bytes: ${what}`, async () => {
    const bytes = Buffer.concat(frames)
    const places = fc.array(fc.nat(bytes.length), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(places, async (places) => {
        const ends = [...new Set([...places, bytes.length])].toSorted((a, b) => a - b)
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        const { isOver, text } = await readWhole(client, upstream, chunks)
        expect(isOver).toBe(true)
        expect(text).toContain(isCall ? "clock" : "Hi")
      }),
      { numRuns: IS_EXHAUSTIVE ? 30 : 10 },
    )
  })
}

test("a stream with many chunks without content does not block other requests", async () => {
  const ping = Buffer.from('event: ping\ndata: {"type":"ping"}\n\n')
  const upstream = UPSTREAMS.find(({ id }) => id === "anthropic-messages")
  const client = CLIENTS.find(({ id }) => id === "openai-chat")
  if (!upstream || !client) throw new Error("a dialect is missing")
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await readWhole(
    client,
    upstream,
    Array.from({ length: 20_000 }, () => ping),
  )
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})
