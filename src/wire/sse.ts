import { createParser, type EventSourceParser } from "eventsource-parser"
import type { FrameParser, ReceivedEvent } from "./frames.ts"

/** The longest single event that is taken where nobody says otherwise, in characters. */
const LONGEST_EVENT = 16 * 1024 * 1024
const NO_EVENTS: readonly ReceivedEvent[] = []

/**
 * Server-sent events out of bytes. Comments are dropped: they only say that the sender lives, which
 * the bytes themselves do.
 */
export class SseParser implements FrameParser {
  readonly #decoder = new TextDecoder()
  #events: ReceivedEvent[] = []
  readonly #parser: EventSourceParser

  /** @param longest the longest single event that is taken, in characters. */
  constructor(longest = LONGEST_EVENT) {
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        this.#events.push(event === undefined ? { data } : { event, data })
      },
      maxBufferSize: longest,
      onError: (error) => {
        // A line that is no field is ignored, as the standard asks; a flood is not.
        if (error.type === "max-buffer-size-exceeded") throw error
      },
    })
  }

  push(bytes: Uint8Array): readonly ReceivedEvent[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }))
    return this.#take()
  }

  end(): readonly ReceivedEvent[] {
    this.#parser.feed(`${this.#decoder.decode(new Uint8Array())}\n\n`)
    return this.#take()
  }

  #take(): readonly ReceivedEvent[] {
    if (this.#events.length === 0) return NO_EVENTS
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
