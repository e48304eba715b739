import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../../canon/dialect.ts"
import {
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { OtherContent } from "../../../canon/other-content.ts"
import { errorEvent } from "../../shared/errors.ts"
import { finishEvent } from "../../shared/finish.ts"
import { isDoneMark, parseFrameOrError, startedTwice } from "../../shared/stream.ts"
import { readVendorError } from "../errors.ts"
import { decodeFinish } from "../finish.ts"
import { responseHead } from "../result/head.ts"
import type { OpenItem, ReasoningPlace } from "./open-item.ts"
import { OpenItems } from "./open-items.ts"
import { decodeUsage } from "../usage.ts"

type StartEvent = Extract<ChatEvent, { type: "start" }>

/** Members that identify the subject of an event and are not part of the response. */
const EVENT_FIELDS = new Set([
  "type",
  "sequence_number",
  "response_id",
  "item_id",
  "output_index",
  "content_index",
  "summary_index",
  "annotation_index",
  "partial_image_index",
  "obfuscation",
  "logprobs",
  "status",
  "size",
  "quality",
  "background",
  "output_format",
])

/** Matches events that start a part of a message or of reasoning. */
const OPENING = /_part\.added$/
/** Matches events that repeat an earlier event, and keep-alives. */
const REPEATING =
  /^keepalive$|_part\.done$|_text\.done$|function_call_arguments\.done$|custom_tool_call_input\.done$/

/**
 * Creates a decoder for one stream of response events (docs/contribute/wire/openai-responses.md#f6,
 * docs/contribute/wire/README.md#f1 and docs/contribute/wire/openai-responses.md#f11).
 */
export function decodeEvents(request?: ChatRequest): EventDecoder {
  return new ResponseDecoder(request)
}

class ResponseDecoder implements EventDecoder {
  readonly other = new OtherContent()
  readonly #items: OpenItems
  /** The ids of announced items by position; undefined for items without an id. */
  readonly #announced = new Map<number, string | undefined>()
  /** Positions of images for which a draft has arrived. */
  readonly #drafted = new Set<number>()
  #started = false
  #broken = false
  #finished = false

  constructor(request: ChatRequest | undefined) {
    this.#items = new OpenItems(this.other, request?.tools)
  }

  get finished(): boolean {
    return this.#finished
  }

  push(frame: SseFrame): ChatEvent[] {
    const events: ChatEvent[] = []
    // Ignores `[DONE]`. No recorded vendor of this dialect sends it, but Open Responses requires it.
    if (this.#finished || isDoneMark(frame) || frame.data === "") return events
    const json = frame.json ?? parseFrameOrError(frame)
    const type = textAt(json, "type") ?? frame.event ?? ""
    const response = objectAt(json, "response")
    if (type === "error" || (response === undefined && json.error)) this.#onError(json, events)
    else if (response !== undefined) this.#onResponse(type, response, events)
    else this.#onItemEvent(type, json, events)
    return events
  }

  /**
   * Ends the stream. An output is complete only if the final response event has arrived, because another item could
   * always follow.
   */
  end(): ChatEvent[] {
    return []
  }

  #onResponse(type: string, response: JsonObject, events: ChatEvent[]): void {
    if (!this.#started) {
      this.#started = true
      events.push(startOf(response))
    }
    switch (type) {
      case "response.completed":
      case "response.incomplete":
        this.#onEnd(response, events)
        break
      case "response.failed":
      case "response.cancelled":
        this.#finished = true
        pushUsage(response, events)
        this.#onError(response, events)
        break
      default:
    }
  }

  #onEnd(response: JsonObject, events: ChatEvent[]): void {
    if (this.#finished) return
    this.#finished = true
    this.#items.end(listAt(response, "output"), events)
    events.push(finishEvent(0, decodeFinish(response, this.#items.hasCalls)))
    pushUsage(response, events)
  }

  /** Handles an error. It is reported only once, because `response.failed` follows an `error` event and repeats it. */
  #onError(value: JsonObject, events: ChatEvent[]): void {
    if (this.#broken) return
    this.#broken = true
    events.push(errorEvent(readVendorError(value)))
  }

  #onItemEvent(type: string, json: JsonObject, events: ChatEvent[]): void {
    const index = numberAt(json, "output_index")
    const delta = textAt(json, "delta")
    switch (type) {
      case "response.output_item.added":
        if (isJsonObject(json.item)) this.#onAdded(json, json.item, events)
        break
      case "response.output_item.done":
        if (isJsonObject(json.item)) this.#items.done(index, json.item, events)
        break
      case "response.output_text.delta":
      case "response.refusal.delta":
      case "response.output_text.annotation.added":
      case "response.output_text.done":
      case "response.refusal.done":
      case "response.content_part.done":
        this.#onContent(type, json, this.#items.itemAt(index, "message"), events)
        break
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        if (delta !== undefined) {
          const item = this.#items.itemAt(index, "reasoning")
          this.#items.reasoning(item, reasoningPlace(json), delta, events)
        }
        break
      case "response.function_call_arguments.delta":
        if (delta !== undefined) {
          this.#items.writeArguments(this.#items.itemAt(index, "function_call"), delta, events)
        }
        break
      case "response.custom_tool_call_input.delta":
        if (delta !== undefined) {
          this.#items.writeInput(this.#items.itemAt(index, "custom_tool_call"), delta, events)
        }
        break
      default:
        this.#onOther(type, json, index)
    }
  }

  /**
   * Handles the start of an item. An item that starts twice is an error, because clients would assemble it incorrectly.
   * A vendor that does not count positions sends another item at the same position, after the previous item has ended.
   */
  #onAdded(json: JsonObject, item: JsonObject, events: ChatEvent[]): void {
    const index = numberAt(json, "output_index")
    const id = textAt(item, "id")
    if (id !== undefined && this.#announced.get(index) === id) throw startedTwice("item")
    this.#announced.set(index, id)
    this.#items.announce(index, item, events)
  }

  /** Counts output of server tools, audio, drafts of images, and unknown events. */
  #onOther(type: string, json: JsonObject, index: number): void {
    if (OPENING.test(type)) return this.#items.open(json.part)
    if (REPEATING.test(type)) return
    const fields = unknownFields(json, EVENT_FIELDS)
    if (fields === undefined) return
    if (type.endsWith(".done")) return this.other.wholeAt(index, fields)
    this.other.chunkAt(index, (chunk) => {
      const { delta, partial_image_b64: draft, ...rest } = fields
      if (typeof delta === "string" && type.endsWith("audio.delta")) chunk.sound(delta)
      else chunk.json(typeof delta === "string" ? delta : { delta: delta ?? null })
      for (const name in rest) chunk.json(rest[name])
      // An image is counted once, because further drafts show the same image.
      if (draft !== undefined && !this.#drafted.has(index)) chunk.image()
      if (draft !== undefined) this.#drafted.add(index)
    })
  }

  #onContent(type: string, json: JsonObject, item: OpenItem, events: ChatEvent[]): void {
    const content = numberAt(json, "content_index")
    const delta = textAt(json, "delta")
    switch (type) {
      case "response.output_text.delta":
        if (delta !== undefined) this.#items.text(item, content, delta, events)
        break
      case "response.refusal.delta":
        if (delta !== undefined) this.#items.refusal(item, content, delta, events)
        break
      case "response.output_text.annotation.added":
        this.other.json(json.annotation)
        if (isJsonObject(json.annotation)) {
          this.#items.citation(item, content, json.annotation, events)
        }
        break
      default: {
        const part = type === "response.content_part.done" ? json.part : json
        if (item.type === "message" && isJsonObject(part)) {
          this.#items.contentDone(item, content, part, events)
        }
      }
    }
  }
}

function startOf(response: JsonObject): StartEvent {
  return { type: "start", ...responseHead(response) }
}

function pushUsage(response: JsonObject, events: ChatEvent[]): void {
  const usage = decodeUsage(response)
  if (usage !== undefined) events.push({ type: "usage", usage })
}

/**
 * Returns the place of a reasoning event. Open Responses has a shorter name than OpenAI for events of the reasoning
 * itself.
 */
function reasoningPlace(json: JsonObject): ReasoningPlace {
  return json.summary_index === undefined
    ? { kind: "content", index: numberAt(json, "content_index") }
    : { kind: "summary", index: numberAt(json, "summary_index") }
}

function numberAt(json: JsonObject, key: string): number {
  const value = json[key]
  return typeof value === "number" ? value : 0
}
