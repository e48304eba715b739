import { assertNever } from "../../../canon/assert-never.ts"
import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventEncoder, SseFrame } from "../../../canon/dialect.ts"
import { ERROR_KINDS, type GatewayError } from "../../../canon/errors.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { AudioPart, CallOrigin, ImagePart } from "../../../canon/message.ts"
import type { Usage } from "../../../canon/usage.ts"
import { prefixedId } from "../../shared/identifiers.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { originsOf } from "../../shared/tool-names.ts"
import { encodeBreak } from "../errors.ts"
import { encodeFinish } from "../finish.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { ChoiceEncoder } from "./choice-encoder.ts"
import { encodeLogprobs } from "../result/encode.ts"
import { encodeUsage } from "../usage.ts"

/** The last frame of every stream (docs/contribute/wire/openai-chat.md#f5). */
export const LAST_FRAME: SseFrame = { data: "[DONE]" }

type StartEvent = Extract<ChatEvent, { type: "start" }>

/**
 * Creates an encoder for one stream of chat completion chunks, in OpenAI's order
 * (docs/contribute/wire/openai-chat.md#f5).
 */
export function encodeEvents(request: ChatRequest): EventEncoder {
  return new ChunkEncoder(request)
}

/** Members that OpenAI or OpenRouter send in every chunk. Other members are sent in the first chunk only. */
const REPEATED_MEMBERS: ReadonlySet<string> = new Set([
  "service_tier",
  "system_fingerprint",
  "provider",
])
/** Maximum characters of a value that is repeated in every chunk. */
const MAX_REPEATED = 128

/**
 * Encodes a stream. Each choice starts with a chunk that contains its role. That chunk is sent at the first event of
 * the choice, because only then is it known whether the choice has content or only calls. All chunks have the same id,
 * time and model, so the JSON before and after the choice is serialized once per stream. Only the first chunk has the
 * unknown members of the response.
 */
class ChunkEncoder implements EventEncoder {
  readonly #request: ChatRequest
  /** The caller's declarations of tools that are sent as functions, by name. */
  readonly #origins: ReadonlyMap<string, CallOrigin> | undefined
  readonly #choices = new Map<number, ChoiceEncoder>()
  #head: JsonObject | undefined
  /** Members that only the first chunk has; undefined once that chunk is written. */
  #first: JsonObject | undefined
  #before = ""
  #after = ""
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
        // If chunks were written before the start event, they already have an id.
        if (this.#head === undefined) this.#start(event)
        break
      case "text-delta":
        this.#open(event.choice, '""', frames).text(event.text)
        this.#delta(event.choice, `{"content":${JSON.stringify(event.text)}}`, frames)
        break
      case "refusal-delta":
        this.#open(event.choice, '""', frames).refusal()
        this.#delta(event.choice, `{"refusal":${JSON.stringify(event.text)}}`, frames)
        break
      case "reasoning-delta":
        this.#open(event.choice, '""', frames).reasoning(event.text)
        this.#delta(event.choice, `{"reasoning_content":${JSON.stringify(event.text)}}`, frames)
        break
      case "reasoning-signature": {
        const details = this.#open(event.choice, '""', frames).sign(event)
        this.#details(event.choice, details, frames)
        break
      }
      case "media":
        this.#media(event.choice, event.media, frames)
        break
      case "citation":
        this.#open(event.choice, '""', frames).cite(event.citation)
        break
      case "tool-call-start":
        this.#callStart(event, frames)
        break
      case "tool-call-delta":
        this.#callDelta(event.choice, event.call, event.arguments, frames)
        break
      case "web-search":
        // The sources of a search are sent with the text that cites them.
        this.#choices.get(event.choice)?.search()
        break
      case "choice-extra":
        this.#extra(event.choice, event.extra, frames)
        break
      case "finish":
        this.#finish(event, frames)
        break
      case "usage":
        this.#usage = event.usage
        break
      case "error":
        this.#error(event, frames)
        break
      default:
        assertNever(event)
    }
    return frames
  }

  end(): SseFrame[] {
    if (this.#failed) return []
    const frames: SseFrame[] = []
    if (this.#request.streamUsage && this.#usage !== undefined) {
      const usage = encodeUsage(this.#usage)
      const json: JsonObject = { ...this.#headOf(), ...this.#first, choices: [], usage }
      frames.push({ data: JSON.stringify(json), json })
    }
    frames.push(LAST_FRAME)
    return frames
  }

  fail(error: GatewayError, requestId: string): SseFrame[] {
    this.#failed = true
    return encodeBreak(error, requestId)
  }

  #start(event: StartEvent | undefined): void {
    this.#head = {
      id: prefixedId(ID_PREFIX, event?.id),
      object: "chat.completion.chunk",
      created: event?.created ?? nowInSeconds(),
      model: event?.model ?? this.#request.model,
    }
    const members = ownFields(DIALECT, event?.extra)
    for (const name in members) {
      const value = members[name]
      const isRepeated = REPEATED_MEMBERS.has(name) && isShort(value)
      if (isRepeated) this.#head[name] = value
      else (this.#first ??= {})[name] = value
    }
    this.#before = beforeChoice(this.#head)
    this.#after = this.#request.streamUsage ? '}],"usage":null}' : "}]}"
  }

  /** Returns the head of the chunks. A stream without a start event starts here. */
  #headOf(): JsonObject {
    if (this.#head === undefined) this.#start(undefined)
    return this.#head ?? {}
  }

  #open(choice: number, content: '""' | "null", frames: SseFrame[]): ChoiceEncoder {
    const known = this.#choices.get(choice)
    if (known !== undefined) return known
    this.#headOf()
    const opened = new ChoiceEncoder()
    this.#choices.set(choice, opened)
    this.#delta(choice, `{"role":"assistant","content":${content},"refusal":null}`, frames)
    return opened
  }

  #delta(choice: number, delta: string, frames: SseFrame[]): void {
    frames.push(this.#chunk(choice, delta, "null"))
  }

  #chunk(choice: number, delta: string, finish: string): SseFrame {
    const members = `"index":${choice},"delta":${delta},"logprobs":null,"finish_reason":${finish}`
    return this.#frame(members)
  }

  /**
   * Returns the frame of a chunk.
   * @param members the members of the choice, as JSON text without braces.
   */
  #frame(members: string): SseFrame {
    if (this.#first === undefined) return { data: this.#before + members + this.#after }
    const before = beforeChoice({ ...this.#head, ...this.#first })
    this.#first = undefined
    return { data: before + members + this.#after }
  }

  #media(choice: number, media: ImagePart | AudioPart, frames: SseFrame[]): void {
    const opened = this.#open(choice, media.type === "audio" ? "null" : '""', frames)
    const delta = opened.media(media, this.#request.speech)
    if (delta !== undefined) this.#delta(choice, JSON.stringify(delta), frames)
  }

  #callStart(event: Extract<ChatEvent, { type: "tool-call-start" }>, frames: SseFrame[]): void {
    const { choice, call, id, name } = event
    const origin = event.origin ?? this.#origins?.get(name)
    const written = this.#open(choice, "null", frames).callStart(call, origin?.form)
    this.#delta(choice, written.opening(id, name), frames)
  }

  #callDelta(choice: number, call: number, written: string, frames: SseFrame[]): void {
    if (written === "") return
    const delta = this.#open(choice, "null", frames).call(call).chunk(written)
    if (delta !== undefined) this.#delta(choice, delta, frames)
  }

  #finish(event: Extract<ChatEvent, { type: "finish" }>, frames: SseFrame[]): void {
    const { choice, reason } = event
    const ended = this.#open(choice, '""', frames)
    for (const delta of ended.takeCalls()) this.#delta(choice, delta, frames)
    this.#details(choice, ended.takeDetails(), frames)
    const annotations = ended.takeAnnotations()
    if (annotations.length > 0) this.#delta(choice, JSON.stringify({ annotations }), frames)
    const word = encodeFinish(reason, ended.isLegacy)
    frames.push(this.#chunk(choice, "{}", `"${word}"`))
  }

  #details(choice: number, details: readonly JsonValue[], frames: SseFrame[]): void {
    if (details.length === 0) return
    this.#delta(choice, `{"reasoning_details":${JSON.stringify(details)}}`, frames)
  }

  #extra(choice: number, extra: Extra, frames: SseFrame[]): void {
    const fields = ownFields(DIALECT, extra)
    const logprobs = encodeLogprobs(extra)
    if (fields === undefined && logprobs === null) return
    this.#open(choice, '""', frames)
    const { message, ...members } = fields ?? {}
    const delta: JsonValue = isJsonObject(message) ? message : {}
    const written: JsonObject = { index: choice, delta, logprobs, finish_reason: null, ...members }
    frames.push(this.#frame(JSON.stringify(written).slice(1, -1)))
  }

  #error(event: Extract<ChatEvent, { type: "error" }>, frames: SseFrame[]): void {
    this.#failed = true
    const { type, code } = ERROR_KINDS.upstream_error
    const error = { message: event.message, type, param: null, code: event.code ?? code }
    const json: JsonObject = { error: { ...error, error_type: "upstream_error" } }
    frames.push({ data: JSON.stringify(json), json })
  }
}

function isShort(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value.length <= MAX_REPEATED
}

/** Returns the JSON text of a chunk up to the first member of its choice. */
function beforeChoice(head: JsonObject): string {
  return `${JSON.stringify(head).slice(0, -1)},"choices":[{`
}
