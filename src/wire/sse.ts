import type { ReadableStreamDefaultReader } from "node:stream/web"
import { createParser } from "eventsource-parser"

/** One server-sent event as it came. */
export interface ReceivedEvent {
  readonly event?: string
  readonly data: string
}

/** The longest single event that is taken, in characters. */
const LONGEST_EVENT = 16 * 1024 * 1024

/**
 * Server-sent events out of a stream of bytes, however the bytes were cut. Comments are dropped: they
 * only say that the sender lives, which the bytes themselves do.
 */
export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #onBytes: () => void
  readonly #decoder = new TextDecoder()
  #events: ReceivedEvent[] = []
  readonly #parser = createParser({
    onEvent: ({ event, data }) => {
      this.#events.push(event === undefined ? { data } : { event, data })
    },
    maxBufferSize: LONGEST_EVENT,
    onError: (error) => {
      // A line that is no field is ignored, as the standard asks; a flood is not.
      if (error.type === "max-buffer-size-exceeded") throw error
    },
  })

  /** @param onBytes told of bytes that complete no event: the sender lives. */
  constructor(stream: ReadableStream<Uint8Array>, onBytes: () => void) {
    this.#reader = stream.getReader()
    this.#onBytes = onBytes
  }

  /** The next events, at least one; undefined at the end. Bytes that complete no event wait. */
  async read(): Promise<readonly ReceivedEvent[] | undefined> {
    for (;;) {
      const { done, value } = await this.#reader.read()
      if (done) return this.#rest()
      this.#parser.feed(this.#decoder.decode(value, { stream: true }))
      if (this.#events.length > 0) return this.#take()
      this.#onBytes()
    }
  }

  #rest(): readonly ReceivedEvent[] | undefined {
    this.#parser.feed(`${this.#decoder.decode(new Uint8Array())}\n\n`)
    return this.#events.length > 0 ? this.#take() : undefined
  }

  #take(): readonly ReceivedEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}

const encoder = new TextEncoder()

/** Bytes of a comment that keeps a connection from being taken for dead. */
export const KEEP_ALIVE = encoder.encode(": keep-alive\n\n")

/** Text of one event. `data` holds no line break: it is JSON or a word. */
export function formatEvent(frame: { readonly event?: string; readonly data: string }): string {
  return frame.event === undefined
    ? `data: ${frame.data}\n\n`
    : `event: ${frame.event}\ndata: ${frame.data}\n\n`
}

/** Bytes of several events. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}
