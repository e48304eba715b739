import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { EventStreamParser } from "../../src/wire/event-stream.ts"
import type { ReceivedEvent } from "../../src/wire/frames.ts"
import { checksum, eventFrame, frameOf } from "./event-stream-frames.ts"

/** Returns all events in bytes that arrive in the given chunks. */
function parse(...chunks: Uint8Array[]): ReceivedEvent[] {
  const parser = new EventStreamParser()
  const events = chunks.flatMap((chunk) => parser.push(chunk))
  return [...events, ...parser.end()]
}

/** Returns the events before the parser's error, and the error. */
function parseUntilFault(chunks: readonly Uint8Array[]): {
  events: ReceivedEvent[]
  fault: string | undefined
} {
  const parser = new EventStreamParser()
  const events: ReceivedEvent[] = []
  try {
    for (const chunk of chunks) events.push(...parser.push(chunk))
    events.push(...parser.end())
    return { events, fault: undefined }
  } catch (error) {
    return { events, fault: (error as Error).message }
  }
}

/** Cuts bytes at the given positions. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted(
    (left, right) => left - right,
  )
  const chunks: Uint8Array[] = []
  let start = 0
  for (const end of [...ends, bytes.length]) {
    chunks.push(bytes.slice(start, end))
    start = end
  }
  return chunks
}

describe("an AWS event stream frame", () => {
  test("becomes an event by its type and payload", () => {
    expect(parse(eventFrame("messageStart", '{"role":"assistant"}'))).toEqual([
      { event: "messageStart", data: '{"role":"assistant"}' },
    ])
  })

  test("becomes an exception by its type", () => {
    const frame = frameOf(
      { ":message-type": "exception", ":exception-type": "throttlingException" },
      '{"message":"slow down"}',
    )
    expect(parse(frame)).toEqual([
      { event: "exception:throttlingException", data: '{"message":"slow down"}' },
    ])
  })

  test("becomes an error by its code, with its message as data", () => {
    const frame = frameOf(
      { ":message-type": "error", ":error-code": "InternalError", ":error-message": "it broke" },
      "",
    )
    expect(parse(frame)).toEqual([{ event: "error:InternalError", data: "it broke" }])
  })

  test("becomes an event without a type", () => {
    expect(parse(frameOf({}, "{}"))).toEqual([{ data: "{}" }])
  })

  test("becomes an exception or error even without a name", () => {
    expect(parse(frameOf({ ":message-type": "exception" }, "{}"))).toEqual([
      { event: "exception:", data: "{}" },
    ])
    expect(parse(frameOf({ ":message-type": "error" }, ""))).toEqual([
      { event: "error:", data: "" },
    ])
  })

  test("can contain non-ASCII text, or be empty", () => {
    expect(parse(eventFrame("a", '"žluť 🐎"'), eventFrame("b", ""))).toEqual([
      { event: "a", data: '"žluť 🐎"' },
      { event: "b", data: "" },
    ])
  })

  test("ignores headers of other types", () => {
    const zeros = (count: number) => Array.from({ length: count }, () => 0)
    const frame = frameOf(
      {
        yes: { type: 0, bytes: [] },
        no: { type: 1, bytes: [] },
        byte: { type: 2, bytes: zeros(1) },
        short: { type: 3, bytes: zeros(2) },
        integer: { type: 4, bytes: zeros(4) },
        long: { type: 5, bytes: zeros(8) },
        blob: { type: 6, bytes: [0, 3, 1, 2, 3] },
        time: { type: 8, bytes: zeros(8) },
        uuid: { type: 9, bytes: zeros(16) },
        ":event-type": "last",
      },
      "{}",
    )
    expect(parse(frame)).toEqual([{ event: "last", data: "{}" }])
  })
})

describe("the event stream parser on other bytes", () => {
  test("ends without an error if there are no bytes", () => {
    expect(parse()).toEqual([])
    expect(parse(new Uint8Array())).toEqual([])
  })

  test("reports an incomplete frame", () => {
    const frame = eventFrame("a", "{}")
    for (const length of [1, 11, 12, frame.length - 1]) {
      const { events, fault } = parseUntilFault([frame.subarray(0, length)])
      expect(events).toEqual([])
      expect(fault).toContain("middle of a frame")
    }
  })

  test("fails if the bytes are a page of HTML", () => {
    const page = Buffer.from("<html><body>503 Service Unavailable</body></html>")
    expect(parseUntilFault([page]).fault).toContain("checksum")
  })

  test.each([
    [48 * 1024 * 1024 + 1, "too long"],
    [0xff_ff_ff_ff, "absurd"],
    [15, "too short"],
    [0, "nothing"],
  ])("rejects a length of %i before it allocates memory (%s)", (length) => {
    const prelude = Buffer.alloc(8)
    prelude.writeUInt32BE(length, 0)
    const { fault } = parseUntilFault([Buffer.concat([prelude, checksum(prelude)])])
    expect(fault).toContain(`a frame of ${length} bytes`)
  })

  test("rejects headers that are too long, truncated, or of an unknown type", () => {
    const prelude = Buffer.alloc(8)
    prelude.writeUInt32BE(16, 0)
    prelude.writeUInt32BE(5, 4)
    const start = Buffer.concat([prelude, checksum(prelude)])
    const tooLong = Buffer.concat([start, checksum(start)])
    const cutShort = frameOf({ a: { type: 7, bytes: [0, 9, 1] } }, "")
    const unknown = frameOf({ a: { type: 10, bytes: [0] } }, "")
    for (const frame of [tooLong, cutShort, unknown]) {
      expect(parseUntilFault([frame]).fault).toContain("headers")
    }
  })

  test("fails only after the valid frames of the same chunk", () => {
    const broken = eventFrame("b", "{}")
    broken[broken.length - 1]! ^= 1
    const parser = new EventStreamParser()
    const bytes = Buffer.concat([eventFrame("a", "{}"), broken])
    expect(parser.push(bytes)).toEqual([{ event: "a", data: "{}" }])
    expect(() => parser.push(eventFrame("c", "{}"))).toThrow("checksum")
    expect(() => parser.end()).toThrow("checksum")
  })

  test("stops after an error", () => {
    const broken = eventFrame("b", "{}")
    broken[20]! ^= 1
    const parser = new EventStreamParser()
    expect(() => parser.push(broken)).toThrow("checksum")
    expect(() => parser.push(eventFrame("c", "{}"))).toThrow("checksum")
  })
})

describe("the event stream parser on generated frames", () => {
  const stream = fc
    .array(fc.tuple(fc.stringMatching(/^[a-zA-Z]{1,12}$/), fc.string({ maxLength: 200 })), {
      minLength: 1,
      maxLength: 6,
    })
    .map((events) => ({
      events: events.map(([event, data]) => ({ event, data: Buffer.from(data).toString() })),
      bytes: Buffer.concat(events.map(([event, data]) => eventFrame(event, data))),
    }))
  const places = fc.array(fc.nat(), { maxLength: 12 })

  test("returns the same frames for any split of the bytes", () => {
    fc.assert(
      fc.property(stream, places, ({ events, bytes }, at) => {
        expect(parse(...cut(bytes, at))).toEqual(events)
      }),
    )
  })

  test("returns the same frames if each byte arrives separately", () => {
    fc.assert(
      fc.property(stream, ({ events, bytes }) => {
        expect(parse(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events)
      }),
      { numRuns: 20 },
    )
  })

  test("detects a wrong byte at any position, and reads nothing after it", () => {
    fc.assert(
      fc.property(
        stream,
        places,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        ({ events, bytes }, at, where, change) => {
          const corrupt = Buffer.from(bytes)
          corrupt[where % corrupt.length]! ^= change
          const { events: heard, fault } = parseUntilFault(cut(corrupt, at))
          expect(fault).toBeDefined()
          expect(heard.length).toBeLessThan(events.length)
          expect(heard).toEqual(events.slice(0, heard.length))
        },
      ),
    )
  })

  test("returns a long frame completely if it arrives in small chunks", () => {
    const data = JSON.stringify("x".repeat(3_000_000))
    const bytes = eventFrame("long", data)
    const chunks: Uint8Array[] = []
    for (let start = 0; start < bytes.length; start += 16_384) {
      chunks.push(bytes.subarray(start, start + 16_384))
    }
    expect(parse(...chunks)).toEqual([{ event: "long", data }])
  })
})
