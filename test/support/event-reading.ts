import type { ReceivedEvent } from "../../src/wire/frames.ts"
import { SseParser } from "../../src/wire/sse.ts"

interface EventReader {
  readonly isOver: boolean
  read(event: ReceivedEvent): Uint8Array | undefined
}

/** Returns a function that passes received bytes to a reader of events, and returns the bytes for the caller. */
export function feeding(reader: EventReader): (bytes: Uint8Array) => Uint8Array[] {
  const parser = new SseParser()
  return (bytes) =>
    parser.push(bytes).flatMap((event) => (reader.isOver ? [] : (reader.read(event) ?? [])))
}
