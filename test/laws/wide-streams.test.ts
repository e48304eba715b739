import { afterAll, expect, test } from "bun:test"
import type { ChatRequest, ChatResult, Choice } from "../../src/canon/chat.ts"
import type { ClientDialect, UpstreamDialect } from "../../src/canon/dialect.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import type { Part } from "../../src/canon/message.ts"
import { jsonBytesInSlices } from "../../src/canon/sliced-json-text.ts"
import { eventsOf } from "../../src/canon/unfold.ts"
import { foldResponse } from "../../src/relay/chat/fold-response.ts"
import { Meter } from "../../src/relay/metering/meter.ts"
import { ReasoningSigner } from "../../src/relay/chat/reasoning-envelope.ts"
import { TranscodingWriter } from "../../src/relay/chat/stream-writer.ts"
import { UpstreamStream } from "../../src/relay/chat/upstream-stream.ts"
import { encodeText, formatEvent } from "../../src/wire/sse.ts"
import { CLIENTS, UPSTREAMS } from "../golden/dialects.ts"
import { scaledLimit, threadTimeUsed } from "../support/processor-time.ts"
import { responseOf, AttemptWorld } from "./attempt-world.ts"
import { sampleCombinations } from "../support/exhaustive.ts"

const REQUEST: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  streamUsage: true,
  choices: 1_000,
}
const SIGNER = new ReasoningSigner("secret")

/** Maximum size of a response for its caller, as a multiple of the size of the provider's response. */
const MAX_SIZE_GROWTH = 16
/** Maximum share of the processor time that one turn of the event loop may take. */
const MAX_SHARE = 0.4
/** Shorter turns are not compared. Milliseconds on an idle machine. */
const MIN_COMPARED_MS = 90
/** Number of attempts. The best attempt counts, because a garbage collection may delay others. */
const ATTEMPTS = 8
/** Number of bytes of a response that arrive at once. */
const CHUNK_BYTES = 64 * 1024

function list<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function resultOf(parts: readonly Part[], choice: Partial<Choice> = {}): ChatResult {
  return { id: "a", model: "m", choices: [{ index: 0, parts, finish: "stop", ...choice }] }
}

/** A response of a provider, with unknown members at its beginning. */
interface Shape {
  readonly result: ChatResult
  readonly head?: JsonObject
}

const SOUND = { type: "base64", data: "AAAA" } as const
const TOKEN = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] }
const text = (content: string): Part => ({ type: "text", text: content })

const SHAPES: Readonly<Record<string, () => Shape>> = {
  "long unknown members and many pieces": () => ({
    result: resultOf(list(500, (index) => text(`word ${index} `))),
    head: { unknown: "a".repeat(200_000) },
  }),
  "long unknown members and many choices": () => ({
    result: {
      id: "a",
      choices: list(900, (index) => ({ index, parts: [text("x")], finish: "stop" as const })),
    },
    head: { unknown: "a".repeat(200_000) },
  }),
  "a long id and many pieces": () => ({
    result: { ...resultOf(list(500, (index) => text(`word ${index} `))), id: "a".repeat(200_000) },
  }),
  "a long text": () => ({ result: resultOf([text("word ".repeat(800_000))]) }),
  "long reasoning": () => ({
    result: resultOf([{ type: "reasoning", text: "word ".repeat(800_000) }]),
  }),
  "many tool calls": () => ({
    result: resultOf(
      list(900, (index) => ({
        type: "tool-call" as const,
        id: `c${index}`,
        name: "f",
        arguments: `{"a":[${"0,".repeat(2_000)}0]}`,
      })),
      { finish: "tool-calls" },
    ),
  }),
  "log probabilities": () => ({
    result: resultOf([text("a")], {
      extra: {
        dialect: "openai-chat",
        fields: { logprobs: { content: list(150_000, () => TOKEN) } },
      },
    }),
  }),
  "tiny pieces of audio": () => ({
    result: resultOf(list(10_000, () => ({ type: "audio", source: SOUND, format: "pcm16" }))),
  }),
  "many citations": () => ({
    result: resultOf([
      {
        type: "text",
        text: "word ".repeat(2_000),
        citations: list(3_000, (index) => ({ url: `https://x.test/${index}`, start: 0, end: 9 })),
      },
    ]),
  }),
}

/** Yields the frames of a response as its provider streams them. */
function* framesOf(upstream: ClientDialect, { result, head }: Shape): Generator<Uint8Array> {
  const encoder = upstream.encodeEvents(REQUEST)
  let isFirst = true
  for (const event of eventsOf(result)) {
    for (const frame of encoder.push(event)) {
      if (isFirst && head !== undefined) {
        const json = { ...(JSON.parse(frame.data) as JsonObject), ...head }
        yield encodeText(formatEvent({ ...frame, data: JSON.stringify(json) }))
      } else yield encodeText(formatEvent(frame))
      isFirst = false
    }
  }
  for (const frame of encoder.end()) yield encodeText(formatEvent(frame))
}

/** Returns the chunks of a response as a fast provider sends them. */
function chunksOf(bytes: Uint8Array): Uint8Array[] {
  return list(Math.ceil(bytes.length / CHUNK_BYTES), (index) =>
    bytes.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  )
}

/**
 * Processes a response like the relay.
 * @returns the size that the caller receives.
 */
type Way = (upstream: UpstreamDialect, client: ClientDialect, bytes: Uint8Array) => Promise<number>

const world = new AttemptWorld()
afterAll(() => world[Symbol.dispose]())

function streamed(type: string): Way {
  return (upstream, client, bytes) =>
    world.with(upstream, REQUEST, async (attempt) => {
      const chunks = chunksOf(bytes).values()
      const decoder = upstream.decodeEvents(REQUEST)
      const writer = new TranscodingWriter(client, client.encodeEvents(REQUEST), {
        model: "m",
        signer: SIGNER,
        provider: "vendor",
        dialect: upstream.id,
      })
      const parts = { decoder, meter: new Meter(decoder.other), writer }
      const response = responseOf(type, () => chunks.next().value)
      const stream = await UpstreamStream.open(attempt, response, parts)
      let size = 0
      while (!stream.isOver) size += encodeText(await stream.read()).length
      size += encodeText(writer.end(1n)).length
      while (!writer.backlog.isEmpty) {
        await new Promise((resolve) => setImmediate(resolve))
        size += encodeText(writer.backlog.take()).length
      }
      return size
    })
}

const folded: Way = (upstream, client, bytes) =>
  world.with(upstream, REQUEST, async (attempt) => {
    const chunks = chunksOf(bytes).values()
    const decoder = upstream.decodeEvents(REQUEST)
    const parts = { decoder, meter: new Meter(decoder.other) }
    const response = responseOf("text/event-stream", () => chunks.next().value)
    const { result } = await foldResponse(attempt, response, parts)
    await new Promise((resolve) => setImmediate(resolve))
    return (await jsonBytesInSlices(client.encodeResult(result, REQUEST))).length
  })

interface Measured {
  readonly size: number
  /** Processor time in milliseconds of the longest turn of the event loop, and of all turns. */
  readonly longest: number
  readonly all: number
}

async function measured(work: () => Promise<number>): Promise<Measured> {
  const start = threadTimeUsed()
  let last = start
  let longest = 0
  let isOver = false
  const turn = (): void => {
    const now = threadTimeUsed()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const size = await work().catch((error: unknown) => {
    // A response that is too large for a stream may fail, but it must not block other requests.
    if (error instanceof GatewayError) return 0
    throw error
  })
  turn()
  isOver = true
  return { size, longest, all: last - start }
}

async function expectSlices(work: () => Promise<number>, bytes: number): Promise<void> {
  let share = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && share >= MAX_SHARE; attempt++) {
    const { size, longest, all } = await measured(work)
    expect(size).toBeLessThan(MAX_SIZE_GROWTH * bytes)
    const isShort = longest < MIN_COMPARED_MS || longest < scaledLimit(MIN_COMPARED_MS)
    share = isShort ? 0 : longest / all
  }
  expect(share).toBeLessThan(MAX_SHARE)
}

const PROVIDERS = UPSTREAMS.filter(
  (upstream): upstream is UpstreamDialect & ClientDialect => "encodeEvents" in upstream,
)

/** A response that blocks the event loop or becomes much larger would harm all other callers. */
for (const [upstream, client, [name, make]] of sampleCombinations(
  6,
  PROVIDERS,
  CLIENTS,
  Object.entries(SHAPES),
)) {
  test(`a stream from ${upstream.id} to ${client.id} of ${name} is written in slices`, async () => {
    const bytes = Buffer.concat([...framesOf(upstream, make())])
    const way = streamed("text/event-stream")
    await expectSlices(() => way(upstream, client, bytes), bytes.length)
    await expectSlices(() => folded(upstream, client, bytes), bytes.length)
  })

  test(`a complete response from ${upstream.id} to ${client.id} of ${name} is streamed in slices`, async () => {
    const { result, head } = make()
    const bytes = Buffer.from(
      JSON.stringify({ ...upstream.encodeResult(result, REQUEST), ...head }),
    )
    const way = streamed("application/json")
    await expectSlices(() => way(upstream, client, bytes), bytes.length)
  })
}
