import { GrowingMembers } from "../../../canon/response-limits.ts"
import type { ChatEvent } from "../../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../../canon/dialect.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { OtherContent } from "../../../canon/other-content.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { defined } from "../../shared/fields.ts"
import { finishEvent } from "../../shared/finish.ts"
import { isDoneMark, parseFrameOrError } from "../../shared/stream.ts"
import { decodeErrorEvent } from "../errors.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeFinish } from "../finish.ts"
import { messageExtra } from "../result/decode.ts"
import { OpenBlocks } from "./open-blocks.ts"
import { decodeUsage, mergeUsage } from "../usage.ts"

/** Members that every event has. */
const EVENT_HEAD = new Set(["type", "index"])

/**
 * Creates a decoder for the events of one message (docs/contribute/wire/anthropic-messages.md#f6,
 * docs/contribute/wire/anthropic-messages.md#f12, docs/contribute/wire/anthropic-messages.md#f13 and
 * docs/contribute/wire/README.md#f3).
 */
export function decodeEvents(): EventDecoder {
  return new MessageDecoder()
}

class MessageDecoder implements EventDecoder {
  readonly other = new OtherContent()
  readonly #blocks = new OpenBlocks(this.other)
  readonly #usage: JsonObject = {}
  readonly #usageMembers = new GrowingMembers()
  /** The stop reason, if the start of the message already contains it. */
  #word: string | undefined
  #started = false
  #hasFinish = false
  #finished = false

  get finished(): boolean {
    return this.#finished
  }

  push(frame: SseFrame): ChatEvent[] {
    const events: ChatEvent[] = []
    if (frame.json !== undefined) this.#onEvent(frame.json, frame.event, events)
    else if (frame.data !== "" && !isDoneMark(frame))
      this.#onEvent(parseFrameOrError(frame), frame.event, events)
    return events
  }

  /** Ends the stream. A message with a stop reason is complete even without a stop event. */
  end(): ChatEvent[] {
    if (this.#hasFinish) this.#finished = true
    return []
  }

  #onEvent(event: JsonObject, name: string | undefined, events: ChatEvent[]): void {
    switch (event.type) {
      case "message_start":
        this.#onStart(event, events)
        break
      case "content_block_start":
        this.#blocks.start(event, events)
        break
      case "content_block_delta":
        this.#blocks.delta(event, events)
        break
      case "content_block_stop":
        this.#blocks.stop(event, events)
        break
      case "message_delta":
        this.#onMessageDelta(event, events)
        break
      case "message_stop":
        this.#onStop(events)
        break
      default:
        if (name === "error" || event.type === "error" || event.error) {
          // Some vendors report the usage so far together with the error.
          this.#onUsage(objectAt(event, "usage"), events)
          events.push(decodeErrorEvent(event))
        } else if (event.type !== undefined && event.type !== "ping") {
          this.other.json(unknownFields(event, EVENT_HEAD))
        }
    }
  }

  /** Handles the start of a message. Some vendors send it twice; the second start adds nothing. */
  #onStart(event: JsonObject, events: ChatEvent[]): void {
    if (this.#started) return
    this.#started = true
    const message = objectAt(event, "message") ?? {}
    const [id, model] = [textAt(message, "id"), textAt(message, "model")]
    events.push(defined({ type: "start", id, model }))
    pushExtra(messageExtra(message), events)
    // If the model continues after programmatic tool calls, this event can contain the whole response.
    for (const block of listAt(message, "content")) {
      if (isJsonObject(block)) this.#blocks.whole(block, events)
    }
    this.#word = textAt(message, "stop_reason")
    this.#onUsage(objectAt(message, "usage"), events)
  }

  #onMessageDelta(event: JsonObject, events: ChatEvent[]): void {
    const { type: _, delta: _delta, usage: _usage, ...rest } = event
    const delta = objectAt(event, "delta") ?? {}
    pushExtra(messageExtra({ ...rest, ...delta }), events)
    const word = textAt(delta, "stop_reason")
    if (word !== undefined) this.#onFinish(word, textAt(delta, "stop_sequence"), events)
    this.#onUsage(objectAt(event, "usage"), events)
  }

  #onFinish(word: string | undefined, stopSequence: string | undefined, events: ChatEvent[]): void {
    if (this.#hasFinish) return
    this.#hasFinish = true
    this.#blocks.stopAll(events)
    const finish = decodeFinish(word, this.#blocks.hasCalls)
    events.push(finishEvent(0, defined({ ...finish, stopSequence })))
  }

  #onStop(events: ChatEvent[]): void {
    this.#onFinish(this.#word, undefined, events)
    this.#finished = true
  }

  #onUsage(reported: JsonObject | undefined, events: ChatEvent[]): void {
    if (reported === undefined || this.#finished) return
    mergeUsage(this.#usage, reported, this.#usageMembers)
    const usage = decodeUsage(this.#usage)
    if (usage === undefined) return
    if (quantityOf(reported.output_tokens) !== undefined) events.push({ type: "usage", usage })
    else events.push({ type: "usage", usage, isInputOnly: true })
  }
}

function pushExtra(fields: JsonObject | undefined, events: ChatEvent[]): void {
  if (fields !== undefined)
    events.push({ type: "choice-extra", choice: 0, extra: extraOf(DIALECT, fields) })
}
