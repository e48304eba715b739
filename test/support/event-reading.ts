import type { SentBytes } from "../../src/dialects/shared/stream.ts"
import type { ReceivedEvent } from "../../src/wire/frames.ts"
import { SseParser } from "../../src/wire/sse.ts"

interface EventReader {
  readonly isOver: boolean
  read(event: ReceivedEvent): SentBytes | undefined
}

/** Returns a function that passes received bytes to a reader of events, and returns the bytes for the caller. */
export function feeding(reader: EventReader): (bytes: Uint8Array) => Uint8Array[] {
  const parser = new SseParser()
  return (bytes) =>
    parser.push(bytes).flatMap((event) => {
      const sent = reader.isOver ? undefined : reader.read(event)
      if (sent === undefined) return []
      return [sent instanceof Uint8Array ? sent : Buffer.from([...sent].join(""))]
    })
}
