import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { frameOf } from "../../shared/stream.ts"

/** The last event of every stream whose response has ended, whether it is complete or was cut short. */
export const COMPLETED = "response.completed"

/** Writes the events of one stream, numbered without gaps (docs/contribute/wire/openai-responses.md#f7). */
export class FrameWriter {
  /** Minimum length that `long` assumes for an event. It is set if many events are written together. */
  minLength = 0
  #next: number

  /** @param next the number of the first event, to continue a stream that was started elsewhere. */
  constructor(next = 0) {
    this.#next = next
  }

  /**
   * Returns the frame of an event.
   * @param members the members of the event, as JSON text without braces.
   */
  frame(type: string, members: string): SseFrame {
    const data = `{"type":"${type}",${members},"sequence_number":${this.#next++}}`
    return { event: type, data }
  }

  /**
   * Returns an event that may be long.
   * @param length approximate characters of the response in the event.
   */
  long(type: string, members: JsonObject, length: number): SseFrame {
    const json = { type, ...members, sequence_number: this.#next++ }
    return frameOf(type, json, Math.max(length, this.minLength))
  }

  /**
   * Returns an event whose object may be read or changed before it is sent.
   * @param length as in `long`.
   */
  parsed(type: string, members: JsonObject, length = 0): SseFrame {
    return frameOf(type, { type, ...members, sequence_number: this.#next++ }, length, true)
  }
}
