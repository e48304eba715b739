import { createParser, type EventSourceParser } from "eventsource-parser"
import type { FrameMemory, FrameParser, ReceivedEvent } from "./frames.ts"

/** Events up to this many bytes are not counted. */
const SMALL_EVENT = 256 * 1024
/** The longest event that is accepted by default, in characters. */
const LONGEST_EVENT = 16 * 1024 * 1024
/** Comments and invalid lines between two events, in characters: more of them are no stream of events. */
const MOST_DROPPED = 1024 * 1024
/** An invalid line costs as much as so many characters. */
const INVALID_LINE_COST = 1024
/** Bytes that the parser gets at once: of lines that end in CR alone it copies the rest for each line. */
const FED_BYTES = 16 * 1024
/** A long event is in memory as text, as what is parsed of it, and as what is passed on. */
const COPIES = 3
const NO_EVENTS: readonly ReceivedEvent[] = []

export interface SseOptions {
  /** The longest event that is accepted, in characters. */
  readonly longest?: number
  /** Reserves what a long event needs before it is complete. */
  readonly memory?: FrameMemory | undefined
}

/**
 * Parses server-sent events. Comments are dropped: they only show that the sender is alive, as the bytes
 * themselves do.
 */
export class SseParser implements FrameParser {
  readonly #decoder = new TextDecoder()
  #events: ReceivedEvent[] = []
  readonly #parser: EventSourceParser

  readonly #memory: FrameMemory | undefined
  /** Bytes since the last event. */
  #waiting = 0
  #taken = 0
  /** Since the last event. */
  #droppedCost = 0

  constructor({ longest = LONGEST_EVENT, memory }: SseOptions = {}) {
    this.#memory = memory
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        this.#events.push(event === undefined ? { data } : { event, data })
      },
      maxBufferSize: longest,
      onComment: ({ length }) => this.#drop(length + ": \n".length, length),
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") throw error
        this.#drop((error.line?.length ?? 0) + "\n".length, INVALID_LINE_COST)
      },
    })
  }

  push(bytes: Uint8Array): readonly ReceivedEvent[] {
    this.#waiting += bytes.length
    for (let start = 0; start < bytes.length; start += FED_BYTES) {
      const part = bytes.subarray(start, start + FED_BYTES)
      this.#parser.feed(this.#decoder.decode(part, { stream: true }))
    }
    if (this.#events.length > 0) this.#waiting = this.#droppedCost = 0
    if (this.#waiting > SMALL_EVENT || this.#taken > 0) this.#count()
    return this.#take()
  }

  end(): readonly ReceivedEvent[] {
    this.#parser.feed(`${this.#decoder.decode(new Uint8Array())}\n\n`)
    return this.#take()
  }

  /** A line that is kept nowhere is ignored, as the standard requires; a flood of them is not. */
  #drop(length: number, cost: number): void {
    this.#waiting = Math.max(0, this.#waiting - length)
    this.#droppedCost += cost
    if (this.#droppedCost > MOST_DROPPED) throw new Error("too many lines say nothing")
  }

  /** Bytes that wait for the end of a long event count against the memory budget. */
  #count(): void {
    const needed = this.#waiting > SMALL_EVENT ? COPIES * this.#waiting : 0
    if (needed > this.#taken) this.#memory?.takeAnswer(needed - this.#taken)
    else this.#memory?.give(this.#taken - needed)
    this.#taken = needed
  }

  #take(): readonly ReceivedEvent[] {
    if (this.#events.length === 0) return NO_EVENTS
    const events = this.#events
    this.#events = []
    return events
  }
}

const encoder = new TextEncoder()

/** A comment that keeps a connection from timing out. */
export const KEEP_ALIVE = encoder.encode(": keep-alive\n\n")

/** The text of one event. `data` has no line break: it is JSON or a word. */
export function formatEvent(frame: { readonly event?: string; readonly data: string }): string {
  return frame.event === undefined
    ? `data: ${frame.data}\n\n`
    : `event: ${frame.event}\ndata: ${frame.data}\n\n`
}

/** Yields the text of one event whose data is in pieces. */
export function* formatData(
  event: string | undefined,
  pieces: Iterable<string>,
): Generator<string, undefined> {
  yield event === undefined ? "data: " : `event: ${event}\ndata: `
  yield* pieces
  yield "\n\n"
}

/** Bytes of several events. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}
