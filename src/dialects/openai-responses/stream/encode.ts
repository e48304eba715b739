import { assertNever } from "../../../canon/assert-never.ts"
import type { ChatEvent, ChatRequest, FinishReason } from "../../../canon/chat.ts"
import type { EventEncoder, SseFrame } from "../../../canon/dialect.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, listAt, textAt } from "../../../canon/json.ts"
import type { AudioPart, CallOrigin, ImagePart } from "../../../canon/message.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { originsOf } from "../../shared/tool-names.ts"
import { streamFailure, type StreamFailure, vendorFailure } from "../errors.ts"
import { encodeFinish } from "../finish.ts"
import { DIALECT, ItemIds } from "../identifiers.ts"
import { imageItem, ownImageItem } from "../media.ts"
import { encodeLogprobs } from "../result/output-items.ts"
import { type ResponseContent, echoOf, encodeResponse, responseId } from "../result/response.ts"
import { CallWriter, CustomCallWriter, type OpenCallWriter } from "./call-writers.ts"
import { COMPLETED, FrameWriter } from "./frame-writer.ts"
import {
  ImageWriter,
  type ItemPlace,
  type ItemWriter,
  SearchWriter,
  WholeItemWriter,
  ReasoningWriter,
} from "./item-writers.ts"
import { MessageWriter } from "./message-writer.ts"
import { encodeUsage } from "../usage.ts"
import { searchId } from "../search.ts"

type EventOf<Type extends ChatEvent["type"]> = Extract<ChatEvent, { type: Type }>
type Head = Pick<ResponseContent, "id" | "createdAt" | "model">

/** Approximate characters of an item without its content. */
const ITEM_LENGTH = 150

/**
 * Creates an encoder for one stream of response events, in OpenAI's order
 * (docs/contribute/wire/openai-responses.md#f6).
 */
export function encodeEvents(request: ChatRequest): EventEncoder {
  return new ResponseEncoder(request)
}

/**
 * Returns the events that end a broken stream: the error, and the response so far.
 * @param length approximate characters of the content in the response.
 */
export function failureFrames(
  writer: FrameWriter,
  failure: StreamFailure,
  response: JsonObject,
  length: number,
): SseFrame[] {
  const { code, message, responseCode, members } = failure
  const error = { code: responseCode, message }
  const failed = { response: { ...response, status: "failed", error } }
  return [
    writer.parsed("error", { code, message, ...members }),
    writer.parsed("response.failed", failed, length),
  ]
}

/**
 * Returns the event that ends a broken stream if the response so far is not known. Its number follows the number of the
 * last frame.
 */
export function encodeBreak(error: GatewayError, requestId: string, last: string): SseFrame[] {
  const { code, message, members } = streamFailure(error, requestId)
  const number = [...last.matchAll(/"sequence_number":(\d+)/g)].at(-1)?.[1]
  const writer = new FrameWriter(number === undefined ? 0 : Number(number) + 1)
  return [writer.parsed("error", { code, message, ...members })]
}

/**
 * Encodes a stream. Consecutive text, or consecutive reasoning, is written to one item until other content follows.
 * Calls stay open until the end, because their deltas may alternate. This dialect has only one choice, so further
 * choices are not sent.
 */
class ResponseEncoder implements EventEncoder {
  readonly keepsResponse = true
  readonly #request: ChatRequest
  readonly #writer = new FrameWriter()
  readonly #ids = new ItemIds()
  readonly #items: ItemWriter[] = []
  readonly #calls = new Map<number, OpenCallWriter>()
  /** The caller's declarations of tools that are sent as functions, by name. */
  readonly #origins: ReadonlyMap<string, CallOrigin> | undefined
  #head: Head | undefined
  #echo: JsonObject = {}
  #current: MessageWriter | ReasoningWriter | undefined
  #finish: FinishReason = "other"
  #usage: Usage | undefined
  #failed = false

  constructor(request: ChatRequest) {
    this.#request = request
    this.#origins = originsOf(request)
  }

  push(event: ChatEvent): SseFrame[] {
    const frames: SseFrame[] = []
    switch (event.type) {
      case "start":
        // If events were sent before the start event, the response already has an id.
        if (this.#head === undefined) this.#start(event, frames)
        break
      case "usage":
        this.#usage = event.usage
        break
      case "error":
        frames.push(...this.#fail(vendorFailure(event.message, event.code)))
        break
      default:
        if (event.choice === 0) this.#onChoice(event, frames)
    }
    return frames
  }

  end(): SseFrame[] {
    if (this.#failed) return []
    const frames: SseFrame[] = []
    const { status, incomplete } = encodeFinish(this.#finish)
    this.#headOf(frames)
    this.#closeAll(frames)
    const usage = encodeUsage(this.#usage ?? NO_USAGE)
    const response = this.#response(frames, { status, incomplete, usage })
    // This event also ends a response that was cut short. The response's status shows this
    // (docs/contribute/design-notes.md#truncated-responses).
    frames.push(this.#writer.parsed(COMPLETED, { response }, this.#length))
    return frames
  }

  fail(error: GatewayError, requestId: string): SseFrame[] {
    return this.#fail(streamFailure(error, requestId))
  }

  #onChoice(event: Extract<ChatEvent, { choice: number }>, frames: SseFrame[]): void {
    switch (event.type) {
      case "text-delta":
        if (event.text !== "") this.#message(frames).text(event.text, frames)
        break
      case "refusal-delta":
        if (event.text !== "") this.#message(frames).refusal(event.text, frames)
        break
      case "reasoning-delta":
        if (event.text !== "") this.#reasoning(frames).text(event.text, frames)
        break
      case "reasoning-signature":
        if (event.isRedacted === true) this.#closeCurrent(frames)
        this.#reasoning(frames).sign(event.signature, frames)
        break
      case "media":
        this.#media(event.media, frames)
        break
      case "citation":
        if (this.#current instanceof MessageWriter) this.#current.citation(event.citation, frames)
        break
      case "tool-call-start":
        this.#callStart(event, frames)
        break
      case "tool-call-delta":
        this.#calls.get(event.call)?.write(event.arguments, frames)
        break
      case "web-search":
        this.#search(event.search, frames)
        break
      case "choice-extra":
        this.#extra(event.extra, frames)
        break
      case "finish":
        this.#finish = event.reason
        this.#closeAll(frames)
        break
      default:
        assertNever(event)
    }
  }

  #start(event: EventOf<"start"> | undefined, frames: SseFrame[]): Head {
    const createdAt = event?.created ?? nowInSeconds()
    const id = responseId(this.#request, event?.id)
    const head = { id, createdAt, model: event?.model ?? this.#request.model }
    this.#head = head
    this.#echo = { ...echoOf(this.#request), ...ownFields(DIALECT, event?.extra) }
    const started: ResponseContent = { ...head, status: "in_progress", output: [], usage: null }
    const response = `"response":${JSON.stringify(encodeResponse(started, this.#echo))}`
    frames.push(this.#writer.frame("response.created", response))
    frames.push(this.#writer.frame("response.in_progress", response))
    return head
  }

  /** Returns the head of the response. A stream without a start event starts here. */
  #headOf(frames: SseFrame[]): Head {
    return this.#head ?? this.#start(undefined, frames)
  }

  #response(
    frames: SseFrame[],
    ending: Pick<ResponseContent, "status" | "incomplete" | "usage">,
  ): JsonObject {
    const output = this.#items.map(({ item }) => item)
    return encodeResponse({ ...this.#headOf(frames), output, ...ending }, this.#echo)
  }

  get #length(): number {
    const empty = this.#items.length * ITEM_LENGTH
    return this.#items.reduce((length, item) => length + item.length, empty)
  }

  #message(frames: SseFrame[]): MessageWriter {
    if (this.#current instanceof MessageWriter) return this.#current
    this.#closeCurrent(frames)
    this.#headOf(frames)
    return this.#open(new MessageWriter(this.#writer, this.#place("msg_"), frames))
  }

  #reasoning(frames: SseFrame[]): ReasoningWriter {
    if (this.#current instanceof ReasoningWriter && this.#current.isOpen) return this.#current
    this.#closeCurrent(frames)
    this.#headOf(frames)
    return this.#open(new ReasoningWriter(this.#writer, this.#place("rs_"), frames))
  }

  /** Returns the place of the next item in the output. */
  #place(prefix: string, wanted?: string): ItemPlace {
    return { id: this.#ids.itemId(prefix, wanted), index: this.#items.length }
  }

  #open<Writer extends MessageWriter | ReasoningWriter>(writer: Writer): Writer {
    this.#items.push(writer)
    this.#current = writer
    return writer
  }

  #callStart(event: EventOf<"tool-call-start">, frames: SseFrame[]): void {
    this.#closeCurrent(frames)
    this.#headOf(frames)
    const origin = event.origin ?? this.#origins?.get(event.name)
    const call = { id: this.#ids.callId(event.id), name: event.name, origin }
    const writer =
      origin?.form === "text"
        ? new CustomCallWriter(this.#writer, this.#place("ctc_"), call, frames)
        : new CallWriter(this.#writer, this.#place("fc_"), call, frames)
    this.#items.push(writer)
    this.#calls.set(event.call, writer)
  }

  #media(media: ImagePart | AudioPart, frames: SseFrame[]): void {
    if (media.type === "audio") return this.#message(frames).audio(media, frames)
    const own = ownImageItem(media)
    const item = own ?? imageItem("", media)
    if (item === undefined) return
    this.#closeCurrent(frames)
    this.#headOf(frames)
    const place = this.#place("ig_", textAt(item, "id"))
    const writer =
      own === undefined
        ? new ImageWriter(this.#writer, place, item, frames)
        : new WholeItemWriter(this.#writer, place, item, frames)
    this.#items.push(writer)
  }

  /** Handles an extra: items of server tools, and log probabilities of the text before it. */
  #extra(extra: Extra, frames: SseFrame[]): void {
    if (this.#current instanceof MessageWriter) this.#current.logprobs(encodeLogprobs(extra))
    const fields = ownFields(DIALECT, extra) ?? {}
    for (const item of listAt(fields, "output").filter(isJsonObject)) {
      this.#closeCurrent(frames)
      this.#headOf(frames)
      const place = this.#place("item_", textAt(item, "id"))
      this.#items.push(new WholeItemWriter(this.#writer, place, item, frames))
    }
  }

  /** Writes a search by another vendor. Searches that came in this dialect are part of its extras. */
  #search(search: WebSearchPart, frames: SseFrame[]): void {
    if (search.reportedIn === DIALECT) return
    this.#closeCurrent(frames)
    this.#headOf(frames)
    const place = { id: searchId(), index: this.#items.length }
    this.#items.push(new SearchWriter(this.#writer, place, search, frames))
  }

  #closeCurrent(frames: SseFrame[]): void {
    this.#current?.close("completed", frames)
    this.#current = undefined
  }

  /** Closes all items. Only the last item can have been cut off. */
  #closeAll(frames: SseFrame[]): void {
    this.#writer.minLength = this.#length
    const last = this.#items.at(-1)
    const { status } = encodeFinish(this.#finish)
    for (const item of this.#items) {
      item.close(item === last && status === "incomplete" ? status : "completed", frames)
    }
    this.#current = undefined
  }

  #fail(failure: StreamFailure): SseFrame[] {
    this.#failed = true
    const frames: SseFrame[] = []
    const response = this.#response(frames, { status: "failed", usage: null })
    frames.push(...failureFrames(this.#writer, failure, response, this.#length))
    return frames
  }
}
