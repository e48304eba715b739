import { checkEntries } from "../../canon/response-limits.ts"
import type { ChatEvent } from "../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../canon/dialect.ts"
import type { JsonObject } from "../../canon/json.ts"
import { notJson } from "../../dialects/shared/stream.ts"
import type { ReadEvent } from "../../dialects/shared/read-event.ts"
import { billedResponseOf } from "../lifetime/call-failure.ts"
import type { ResponseRecord } from "../metering/response-record.ts"
import type { Meter } from "../metering/meter.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import { billedFor } from "../upstream/response-size.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { parseFrame } from "../upstream/parse-frame.ts"
import { tooComplex, usageIfTooComplex } from "../upstream/usage-members.ts"
import type { UpstreamFrames } from "../upstream/upstream-frames.ts"
import type { Plan } from "./plan.ts"

/** Frames with content have one of these members in all formats. */
const RESPONSE_MEMBERS = ['"choices"', '"candidates"', '"type"', '"delta"']

interface DecodingParts {
  readonly attempt: Attempt<Plan>
  readonly frames: UpstreamFrames
  readonly decoder: EventDecoder
  readonly meter: Meter
  readonly record: ResponseRecord | undefined
  readonly recorder: StateRecorder | undefined
}

/** Decodes the frames of one call. It also counts the usage in frames that cannot be passed on. */
export class FrameDecoding {
  readonly #parts: DecodingParts
  /** Failures whose frames have been counted. */
  readonly #counted = new WeakSet<object>()

  constructor(parts: DecodingParts) {
    this.#parts = parts
  }

  /**
   * Parses a frame.
   * @throws GatewayError if the frame is too complex to be parsed. Its usage is counted.
   */
  parsed(event: ReadEvent): SseFrame {
    this.#weigh(event)
    const frame = parseFrame(event)
    if (frame.json !== undefined) return frame
    const usage = unparsedUsage(event)
    if (usage === undefined) {
      // A second attempt to parse a long frame would block other requests.
      if (event.content !== undefined) throw notJson()
      return frame
    }
    const failure = tooComplex(this.#parts.attempt.provider)
    this.countFailed(failure, usage)
    throw failure
  }

  /**
   * Returns the events of a frame, and records the state that it names. Usage in a frame that cannot be decoded is
   * counted.
   */
  events(frame: SseFrame): ChatEvent[] {
    try {
      if (frame.json !== undefined) this.#parts.recorder?.record(frame.json)
      const events = this.#parts.decoder.push(frame)
      checkEntries("parts", events.length)
      return events
    } catch (failure) {
      if (frame.json) {
        this.#countUsage(frame.json)
        this.#parts.record?.frame(frame.json)
        this.#markCounted(failure)
      }
      throw failure
    }
  }

  /**
   * Counts the usage of a frame that was not decoded, once for each failure. Frames after it may report the complete
   * usage, so it must be counted before them.
   */
  countFailed(
    failure: unknown,
    members: JsonObject,
    isBilled = billedResponseOf(failure) !== undefined,
  ): void {
    if (!this.#markCounted(failure)) return
    this.#countUsage(members)
    if (isBilled) this.#parts.record?.unreadFrame(members)
  }

  /** Returns whether the failure was not marked before. */
  #markCounted(failure: unknown): boolean {
    if (typeof failure !== "object" || failure === null) return true
    if (this.#counted.has(failure)) return false
    this.#counted.add(failure)
    return true
  }

  #countUsage(json: JsonObject): void {
    const usage = this.#parts.attempt.plan.binding.dialect.usageIn(json)
    if (usage !== undefined) this.#parts.meter.frame([{ type: "usage", usage }], json)
  }

  /** Counts the usage in frames after a failure or after the end of the response. They are not part of the response. */
  countRest(rest: readonly ReadEvent[]): void {
    for (const event of rest) {
      try {
        const frame = this.parsed(event)
        const usage = this.events(frame).filter(({ type }) => type === "usage")
        this.#parts.meter.frame(usage, frame.json)
        if (frame.json) this.#parts.record?.frame(frame.json)
      } catch {
        // The frame cannot be decoded. Its reported usage has already been counted.
      }
    }
  }

  /** Reads the rest of a response after a failure, for the usage that its provider bills. */
  async readBilled(limitMs = 0): Promise<void> {
    const late = Promise.withResolvers<undefined>()
    using _ = setTimeout(late.resolve, limitMs)
    try {
      for (;;) {
        const received = await Promise.race([
          this.#parts.frames.next(this.#parts.decoder.finished),
          late.promise,
        ])
        if (received?.frames === undefined) return
        this.countRest(received.frames)
        this.#parts.frames.rejectSilence()
      }
    } catch {
      // The provider bills the usage that it reported before the stream failed.
    }
  }

  /**
   * @throws GatewayError if the frame would take too long to parse. Its usage is counted. The provider bills a response
   * with content or usage, and a frame of this size in an API's format has content.
   */
  #weigh(event: ReadEvent): void {
    try {
      this.#parts.frames.weigh(event)
    } catch (failure) {
      const isBilled =
        this.#parts.meter.isBillable || RESPONSE_MEMBERS.some((name) => event.data.includes(name))
      this.countFailed(failure, event.content?.usageMembers ?? {}, isBilled)
      const thrown = isBilled ? billedFor(failure) : failure
      this.#markCounted(thrown)
      throw thrown
    }
  }
}

/** Returns the usage in a frame that is too complex to be parsed; undefined for any other frame. */
function unparsedUsage({ content, data }: ReadEvent): JsonObject | undefined {
  if (content === undefined) return usageIfTooComplex(data)
  return content.isTooComplex ? content.usageMembers : undefined
}
