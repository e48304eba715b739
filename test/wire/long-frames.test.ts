import { expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { EventStreamParser } from "../../src/wire/event-stream.ts"
import { SseParser } from "../../src/wire/sse.ts"
import { eventFrame } from "./event-stream-frames.ts"

class CountedMemory {
  taken = 0
  max = Number.POSITIVE_INFINITY
  takeResponse(bytes: number): void {
    if (this.taken + bytes > this.max) throw new GatewayError("overloaded", "It is full.")
    this.taken += bytes
  }
  give(bytes: number): void {
    this.taken -= bytes
  }
}

const encoder = new TextEncoder()
const LONG = "x".repeat(1024 * 1024)

test("a long event uses memory until its reader continues", () => {
  const memory = new CountedMemory()
  const parser = new SseParser({ memory })
  parser.push(encoder.encode(`data: ${LONG}`))
  expect(parser.push(encoder.encode("\n\n"))).toHaveLength(1)
  expect(memory.taken).toBeGreaterThan(LONG.length)
  parser.push(encoder.encode("data: short\n\n"))
  expect(memory.taken).toBe(0)
})

test("a long Amazon frame uses memory until its reader continues", () => {
  const memory = new CountedMemory()
  const parser = new EventStreamParser({ memory })
  const frame = eventFrame("chunk", LONG)
  parser.push(frame.subarray(0, -1))
  expect(parser.push(frame.subarray(-1))).toHaveLength(1)
  expect(memory.taken).toBeGreaterThan(LONG.length)
  parser.push(eventFrame("chunk", "short"))
  expect(memory.taken).toBe(0)
})

test("an event that is rejected releases its memory", () => {
  const memory = new CountedMemory()
  const frame = eventFrame("chunk", LONG.repeat(4))
  const parts: [SseParser | EventStreamParser, Uint8Array][] = [
    [new SseParser({ memory }), encoder.encode(`data: ${LONG.repeat(4)}`)],
    [new EventStreamParser({ memory }), frame],
  ]
  memory.max = 9 * LONG.length
  for (const [parser, bytes] of parts) {
    parser.push(bytes.subarray(0, LONG.length))
    expect(memory.taken).toBeGreaterThan(LONG.length)
    expect(() => parser.push(bytes.subarray(LONG.length, -1))).toThrow("It is full.")
    expect(memory.taken).toBe(0)
  }
})
