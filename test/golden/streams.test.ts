import { describe, expect, test } from "bun:test"
import type { ChatEvent, ChatRequest } from "../../src/canon/chat.ts"
import type { SseFrame, UpstreamDialect } from "../../src/canon/dialect.ts"
import { parseJsonObject } from "../../src/canon/json.ts"
import type { ReceivedEvent } from "../../src/wire/frames.ts"
import { SseParser } from "../../src/wire/sse.ts"
import { MODELS, UPSTREAMS } from "./dialects.ts"
import { hasGolden, listGolden, readGolden } from "./golden-file.ts"
import { withFixedValues } from "./fixed-values.ts"

/** The streams of `answers/`, in chunks of any size. Streams of Bedrock are listed as events. */
const ROOT = "answers"

for (const upstream of UPSTREAMS) {
  describe(`the decoder of ${upstream.id}`, () => {
    const names = listGolden(ROOT).filter((name) => hasGolden(pathOf(name, upstream)))

    test("has golden streams", () => expect(names.length).toBeGreaterThan(2))

    for (const name of names) {
      const bytes = new TextEncoder().encode(readGolden(pathOf(name, upstream)))

      test(`returns the same events of ${name} for any split of its bytes`, () => {
        const whole = JSON.stringify(received([bytes]))
        for (let cut = 1; cut < bytes.length; cut++) {
          const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)]
          if (JSON.stringify(received(chunks)) !== whole) throw new Error(`cut at ${cut}`)
        }
        const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
        expect(print(decoded(upstream, single))).toBe(print(decoded(upstream, [bytes])))
      })

      test(`returns the events before the break, and no end event, if ${name} breaks after any frame`, () => {
        const frames = framesIn([bytes])
        const whole = decoded(upstream, [bytes])
        for (let length = 0; length < frames.length; length++) {
          const decoder = upstream.decodeEvents(requestTo(upstream))
          const events = frames.slice(0, length).flatMap((frame) => decoder.push(frame))
          // The ids that a dialect generates differ between decoders.
          expect(print(events)).toBe(print(whole.slice(0, events.length)))
          if (!decoder.finished) expect(() => decoder.end()).not.toThrow()
        }
        const isLong = frames.length > 1
        expect(isFinishedAfter(upstream, frames.slice(0, 1))).toBe(!isLong)
      })
    }
  })
}

function pathOf(name: string, { id }: UpstreamDialect): string {
  return `${ROOT}/${name}/${id}.sse`
}

function requestTo({ id }: UpstreamDialect): ChatRequest {
  return { model: MODELS[id], messages: [], stream: true, streamUsage: true, choices: 1 }
}

function received(chunks: readonly Uint8Array[]): readonly ReceivedEvent[] {
  const parser = new SseParser()
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()]
}

function framesIn(chunks: readonly Uint8Array[]): SseFrame[] {
  return received(chunks).map((frame) => {
    const json = parseJsonObject(frame.data)
    return json ? { ...frame, json } : frame
  })
}

function decoded(upstream: UpstreamDialect, chunks: readonly Uint8Array[]): ChatEvent[] {
  const decoder = upstream.decodeEvents(requestTo(upstream))
  return [...framesIn(chunks).flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function isFinishedAfter(upstream: UpstreamDialect, frames: readonly SseFrame[]): boolean {
  const decoder = upstream.decodeEvents(requestTo(upstream))
  for (const frame of frames) decoder.push(frame)
  return decoder.finished
}

function print(events: readonly ChatEvent[]): string {
  return withFixedValues(JSON.stringify(events))
}
