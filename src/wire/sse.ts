import { createParser, type EventSourceParser } from "eventsource-parser"
import { type FrameMemory, type FrameParser, FrameTooLong, type ReceivedEvent } from "./frames.ts"

/** Maximum bytes of an event that is not counted against the memory budget. */
const MAX_UNCOUNTED_BYTES = 256 * 1024
/** Enough for an image of 25 MB in one event, as base64. */
const DEFAULT_MAX_LENGTH = 48 * 1024 * 1024
/**
 * Maximum characters of comments and invalid lines between two events. A stream with more is not an
 * event stream.
 */
const MAX_DROPPED_COST = 1024 * 1024
/** The cost of an invalid line in characters. */
const INVALID_LINE_COST = 1024
/**
 * Maximum bytes that are parsed at once. If lines end in CR only, the parser copies the remaining bytes after each
 * line.
 */
const PARSED_BYTES = 16 * 1024
/** Number of copies of a long event in memory: the text, the parsed value, and the forwarded text. */
const COPIES = 3
const NO_EVENTS: readonly ReceivedEvent[] = []

export interface SseOptions {
  /** Maximum characters of an event. */
  readonly longest?: number
  /** Reserves memory for a long event before it is complete. */
  readonly memory?: FrameMemory | undefined
}

/** Parses server-sent events. Drops comments, which only show that the sender is alive. */
export class SseParser implements FrameParser {
  readonly #decoder = new TextDecoder()
  #events: ReceivedEvent[] = []
  readonly #parser: EventSourceParser

  readonly #memory: FrameMemory | undefined
  /** Bytes received since the last event. */
  #waiting = 0
  #reserved = 0
  /** The cost of dropped lines since the last event, in characters. */
  #droppedCost = 0

  constructor({ longest = DEFAULT_MAX_LENGTH, memory }: SseOptions = {}) {
    this.#memory = memory
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        this.#events.push(event === undefined ? { data } : { event, data })
      },
      maxBufferSize: longest,
      onComment: ({ length }) => this.#drop(length + ": \n".length, length),
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") throw new FrameTooLong(error.message)
        this.#drop((error.line?.length ?? 0) + "\n".length, INVALID_LINE_COST)
      },
    })
  }

  push(bytes: Uint8Array): readonly ReceivedEvent[] {
    // The reader requests more, so it has passed on all events that it received before.
    if (this.#reserved > 0) this.#count()
    this.#waiting += bytes.length
    for (let start = 0; start < bytes.length; start += PARSED_BYTES) {
      const part = bytes.subarray(start, start + PARSED_BYTES)
      this.#parser.feed(this.#decoder.decode(part, { stream: true }))
    }
    if (this.#events.length > 0) this.#waiting = this.#droppedCost = 0
    if (this.#waiting > MAX_UNCOUNTED_BYTES) this.#count()
    return this.#takeEvents()
  }

  end(): readonly ReceivedEvent[] {
    this.#parser.feed(`${this.#decoder.decode(new Uint8Array())}\n\n`)
    return this.#takeEvents()
  }

  /**
   * Counts a line that is not stored. The standard requires parsers to ignore such lines, but a large number of them is
   * an error.
   */
  #drop(length: number, cost: number): void {
    this.#waiting = Math.max(0, this.#waiting - length)
    this.#droppedCost += cost
    if (this.#droppedCost > MAX_DROPPED_COST) throw new Error("too many comments and invalid lines")
  }

  /** Counts the bytes of a long event against the memory budget, until the reader requests the next bytes. */
  #count(): void {
    const needed = this.#waiting > MAX_UNCOUNTED_BYTES ? COPIES * this.#waiting : 0
    if (needed > this.#reserved) this.#take(needed - this.#reserved)
    else this.#memory?.give(this.#reserved - needed)
    this.#reserved = needed
  }

  /** @throws GatewayError if the memory budget rejects the event, which is then discarded. */
  #take(bytes: number): void {
    try {
      this.#memory?.takeResponse(bytes)
    } catch (rejection) {
      this.#parser.reset()
      this.#memory?.give(this.#reserved)
      this.#reserved = this.#waiting = 0
      throw rejection
    }
  }

  #takeEvents(): readonly ReceivedEvent[] {
    if (this.#events.length === 0) return NO_EVENTS
    const events = this.#events
    this.#events = []
    return events
  }
}

const encoder = new TextEncoder()

/** A comment that prevents a connection timeout. */
export const KEEP_ALIVE = encoder.encode(": keep-alive\n\n")

/** Formats an event. Each line of its data is written as a line of the event. */
export function formatEvent(frame: { readonly event?: string; readonly data: string }): string {
  const { event, data } = frame
  // The JSON of some vendors has several lines.
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}

/** Yields the text of an event whose data is in pieces. */
export function* formatData(
  event: string | undefined,
  pieces: Iterable<string>,
): Generator<string, undefined> {
  yield event === undefined ? "data: " : `event: ${event}\ndata: `
  yield* pieces
  yield "\n\n"
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}
