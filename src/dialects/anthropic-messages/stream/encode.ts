import { GrowingMembers } from "../../../canon/response-limits.ts"
import { assertNever } from "../../../canon/assert-never.ts"
import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventEncoder, SseFrame } from "../../../canon/dialect.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import { ownFields } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject } from "../../../canon/json.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { encodeErrorEvent, encodeStreamError } from "../errors.ts"
import { encodeFinish } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { messageId, NULL_MEMBERS, spokenWords } from "../result/encode.ts"
import { WrittenBlocks } from "./written-blocks.ts"
import { encodeCounts, encodeUsage, withSearches } from "../usage.ts"

type StartEvent = Extract<ChatEvent, { type: "start" }>
type FinishEvent = Extract<ChatEvent, { type: "finish" }>

/**
 * Creates an encoder for one stream of a message, in Anthropic's order of events
 * (docs/contribute/wire/anthropic-messages.md#f6).
 */
export function encodeEvents(request: ChatRequest): EventEncoder {
  return new MessageEncoder(request)
}

/**
 * Encodes one message. The start event contains the input tokens, so it waits for the next event, which is the usage if
 * the vendor reports it early. Only the first choice is sent, because callers cannot request more.
 */
class MessageEncoder implements EventEncoder {
  readonly #request: ChatRequest
  readonly #blocks = new WrittenBlocks()
  #start: StartEvent | undefined
  #isStarted = false
  #usage: Usage = NO_USAGE
  /** Number of searches by other vendors. */
  #searches = 0
  #finish: FinishEvent | undefined
  readonly #extra: JsonObject = {}
  readonly #members = new GrowingMembers()
  #isRefused = false
  #failed = false

  constructor(request: ChatRequest) {
    this.#request = request
  }

  push(event: ChatEvent): SseFrame[] {
    const frames: SseFrame[] = []
    switch (event.type) {
      case "start":
        this.#start = event
        break
      case "usage":
        this.#usage = event.usage
        break
      case "error":
        this.#failed = true
        frames.push(encodeErrorEvent(event))
        break
      default:
        if (event.choice === 0) this.#onChoiceEvent(event, frames)
    }
    return frames
  }

  end(): SseFrame[] {
    if (this.#failed) return []
    const frames: SseFrame[] = []
    this.#open(frames)
    this.#blocks.stopAll(frames)
    const { reason = "other", rawReason: raw, stopSequence } = this.#finish ?? {}
    const word = encodeFinish({ reason, raw, stopSequence, isRefused: this.#isRefused })
    const { stop_details: details = null, container = null, ...rest } = this.#extra
    const json: JsonObject = {
      type: "message_delta",
      delta: {
        stop_reason: word,
        stop_sequence: stopSequence ?? null,
        stop_details: details,
        container,
      },
      ...rest,
      usage: encodeCounts(withSearches(this.#usage, this.#searches)),
    }
    frames.push({ event: "message_delta", data: JSON.stringify(json), json }, LAST_FRAME)
    return frames
  }

  fail(error: GatewayError, requestId: string): SseFrame[] {
    return encodeStreamError(error, requestId)
  }

  #onChoiceEvent(event: Extract<ChatEvent, { choice: number }>, frames: SseFrame[]): void {
    this.#open(frames)
    switch (event.type) {
      case "text-delta":
        this.#blocks.text(event.text, frames)
        break
      case "refusal-delta":
        this.#isRefused = true
        this.#blocks.text(event.text, frames)
        break
      case "reasoning-delta":
        this.#blocks.thinking(event.text, frames)
        break
      case "reasoning-signature":
        if (event.isRedacted === true) this.#blocks.redacted(event.signature, frames)
        else this.#blocks.signature(event.signature, frames)
        break
      case "media":
        // Responses in this format have no images or audio, so only the words of audio are sent.
        this.#blocks.text(spokenWords(event.media), frames)
        break
      case "citation":
        this.#blocks.citation(event.citation, frames)
        break
      case "tool-call-start":
        this.#blocks.callStart(event.call, event.id, event.name, frames)
        break
      case "tool-call-delta":
        this.#blocks.callDelta(event.call, event.arguments, frames)
        break
      case "web-search":
        this.#search(event.search, frames)
        break
      case "choice-extra":
        this.#onExtra(ownFields(DIALECT, event.extra) ?? {}, frames)
        break
      case "finish":
        this.#finish = event
        this.#blocks.stopAll(frames)
        break
      default:
        assertNever(event)
    }
  }

  /** Writes a search by another vendor. Searches that came in this dialect are part of its extras. */
  #search(search: WebSearchPart, frames: SseFrame[]): void {
    if (search.reportedIn === DIALECT) return
    this.#searches += search.uses
    this.#blocks.search(search, frames)
  }

  #onExtra({ content, ...rest }: JsonObject, frames: SseFrame[]): void {
    if (Array.isArray(content)) {
      for (const block of content) if (isJsonObject(block)) this.#blocks.whole(block, frames)
    }
    this.#members.assign(this.#extra, rest)
  }

  #open(frames: SseFrame[]): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const message: JsonObject = {
      id: messageId(this.#start?.id),
      type: "message",
      role: "assistant",
      model: this.#start?.model ?? this.#request.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...NULL_MEMBERS,
      usage: encodeUsage(this.#usage),
    }
    const data = JSON.stringify({ type: "message_start", message })
    frames.push({ event: "message_start", data }, PING)
  }
}

const PING: SseFrame = Object.freeze({ event: "ping", data: '{"type":"ping"}' })

/** The last frame of a stream. Anthropic sends no `[DONE]`. */
export const LAST_FRAME: SseFrame = Object.freeze({
  event: "message_stop",
  data: '{"type":"message_stop"}',
})
