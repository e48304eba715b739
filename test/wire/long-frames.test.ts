import { expect, test } from "bun:test"
import { EventStreamParser } from "../../src/wire/event-stream.ts"
import { SseParser } from "../../src/wire/sse.ts"
import { eventFrame } from "./event-stream-frames.ts"

class CountedMemory {
  taken = 0
  takeAnswer(bytes: number): void {
    this.taken += bytes
  }
  give(bytes: number): void {
    this.taken -= bytes
  }
}

const encoder = new TextEncoder()
const LONG = "x".repeat(1024 * 1024)

test("a long event takes memory until its reader reads on", () => {
  const memory = new CountedMemory()
  const parser = new SseParser({ memory })
  parser.push(encoder.encode(`data: ${LONG}`))
  expect(parser.push(encoder.encode("\n\n"))).toHaveLength(1)
  expect(memory.taken).toBeGreaterThan(LONG.length)
  parser.push(encoder.encode("data: short\n\n"))
  expect(memory.taken).toBe(0)
})

test("a long frame of Amazon takes memory until its reader reads on", () => {
  const memory = new CountedMemory()
  const parser = new EventStreamParser({ memory })
  const frame = eventFrame("chunk", LONG)
  parser.push(frame.subarray(0, -1))
  expect(parser.push(frame.subarray(-1))).toHaveLength(1)
  expect(memory.taken).toBeGreaterThan(LONG.length)
  parser.push(eventFrame("chunk", "short"))
  expect(memory.taken).toBe(0)
})
