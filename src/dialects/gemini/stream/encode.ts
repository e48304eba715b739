import { assertNever } from "../../../canon/assert-never.ts"
import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventEncoder, SseFrame } from "../../../canon/dialect.ts"
import type { GatewayError } from "../../../canon/errors.ts"
import { ownFields } from "../../../canon/extra.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { LARGE_BODY } from "../../../canon/sliced-json-text.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { isLongId, mintId } from "../../shared/identifiers.ts"
import { encodeErrorEvent, encodeStreamError } from "../errors.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { encodeEnd } from "../result/encode.ts"
import { WrittenCandidate } from "./written-candidate.ts"
import { frameOf } from "../../shared/stream.ts"
import { encodeUsage } from "../usage.ts"

/** Creates an encoder for one stream of `GenerateContentResponse` chunks (ai.google.dev/api/generate-content). */
export function encodeEvents(request: ChatRequest): EventEncoder {
  return new GenerationEncoder(request)
}

/** Encodes a stream. Each chunk has new parts of one candidate. The last chunk has all finish reasons and the usage. */
class GenerationEncoder implements EventEncoder {
  readonly #candidates = new Map<number, WrittenCandidate>()
  readonly #head: JsonObject
  /** Members that only the first chunk has; undefined once that chunk is written. */
  #first: JsonObject | undefined
  /** The JSON text that follows the candidates in every chunk. */
  #tail = ""
  #usage: Usage = NO_USAGE
  #failed = false

  constructor(request: ChatRequest) {
    this.#head = { modelVersion: request.model, responseId: mintId(ID_PREFIX) }
  }

  push(event: ChatEvent): SseFrame[] {
    switch (event.type) {
      case "start":
        // If chunks were written before the start event, they already have an id.
        if (this.#tail !== "") return []
        this.#first = ownFields(DIALECT, event.extra)
        if (event.model !== undefined) this.#head.modelVersion = event.model
        if (event.id !== undefined && !isLongId(event.id)) this.#head.responseId = event.id
        return []
      case "usage":
        this.#usage = event.usage
        return []
      case "error":
        this.#failed = true
        return [encodeErrorEvent(event)]
      default:
        return this.#onChoice(event)
    }
  }

  end(): SseFrame[] {
    if (this.#failed) return []
    if (this.#candidates.size === 0) this.#candidateOf(0)
    let length = 0
    const candidates = [...this.#candidates.values()].map((candidate) => {
      const end = candidate.end()
      length += candidate.takeLength() + end.logprobs.length + end.grounding.length
      return encodeEnd(end)
    })
    const json: JsonObject = {
      candidates,
      usageMetadata: encodeUsage(this.#usage),
      ...this.#head,
      ...this.#first,
    }
    return [frameOf(undefined, json, length, true)]
  }

  fail(error: GatewayError, requestId: string): SseFrame[] {
    return encodeStreamError(error, requestId)
  }

  #onChoice(event: Extract<ChatEvent, { choice: number }>): SseFrame[] {
    const candidate = this.#candidateOf(event.choice)
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
        return this.#frames(event.choice, candidate.text(event.text))
      case "reasoning-delta":
        return this.#frames(event.choice, candidate.thought(event.text))
      case "reasoning-signature":
        return this.#frames(event.choice, candidate.signature(event.signature))
      case "media":
        return this.#frames(event.choice, candidate.media(event.media))
      case "citation":
        candidate.cite(event.citation)
        return []
      case "tool-call-start":
        candidate.callStart(event.call, event.id, event.name)
        return []
      case "tool-call-delta":
        candidate.callDelta(event.call, event.arguments)
        return []
      case "web-search":
        candidate.search(event.search)
        return []
      case "choice-extra":
        return this.#frames(event.choice, candidate.extra(event.extra))
      case "finish":
        return this.#frames(event.choice, candidate.finish(event.reason, event.rawReason))
      default:
        return assertNever(event)
    }
  }

  #candidateOf(choice: number): WrittenCandidate {
    let candidate = this.#candidates.get(choice)
    if (candidate === undefined) {
      candidate = new WrittenCandidate(choice)
      this.#candidates.set(choice, candidate)
    }
    return candidate
  }

  #frames(index: number, parts: readonly JsonObject[]): SseFrame[] {
    if (parts.length === 0) return []
    const length = this.#candidateOf(index).takeLength()
    if (length > LARGE_BODY) return parts.map((part) => this.#longFrame(index, part, length))
    // Members that are the same in every chunk are serialized only once.
    if (this.#tail === "") this.#tail = tailOf(this.#head)
    const content = `{"parts":${JSON.stringify(parts)},"role":"model"}`
    const candidate = `{"content":${content},"index":${index}}`
    const tail = this.#first ? tailOf({ ...this.#head, ...this.#first }) : this.#tail
    this.#first = undefined
    return [{ data: `{"candidates":[${candidate}],${tail}` }]
  }

  /** Returns the frame of one part, for events whose parts are long in total. */
  #longFrame(index: number, part: JsonObject, length: number): SseFrame {
    const candidate = { content: { parts: [part], role: "model" }, index }
    const json = { candidates: [candidate], ...this.#head, ...this.#first }
    if (this.#tail === "") this.#tail = tailOf(this.#head)
    this.#first = undefined
    return frameOf(undefined, json, length)
  }
}

/** Returns the JSON text that follows the candidates. */
function tailOf(head: JsonObject): string {
  return JSON.stringify(head).slice(1)
}
