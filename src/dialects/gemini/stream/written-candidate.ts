import { GrowingMembers } from "../../../canon/response-limits.ts"
import type { FinishReason } from "../../../canon/chat.ts"
import { type Extra, ownFields } from "../../../canon/extra.ts"
import { type JsonObject, parseJsonObject } from "../../../canon/json.ts"
import type { AudioPart, Citation, ImagePart } from "../../../canon/message.ts"
import { LARGE_BODY } from "../../../canon/sliced-json-text.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { Grounding } from "../citations/encode.ts"
import { DIALECT } from "../identifiers.ts"
import {
  callPart,
  type CandidateEnd,
  mediaParts,
  ownParts,
  WrittenLogprobs,
} from "../result/encode.ts"
import { Signatures, wireSignature } from "../reasoning.ts"

/** A call whose arguments are still arriving. Callers of this dialect receive the call as a whole. */
interface OpenCall {
  readonly id: string
  readonly name: string
  readonly signed: JsonObject
  arguments: string
}

const NO_PARTS: readonly JsonObject[] = []

/** Writes one candidate of a stream. Each method returns the parts that can be sent now. */
export class WrittenCandidate {
  readonly #index: number
  readonly #signatures = new Signatures()
  readonly #grounding = new Grounding()
  readonly #calls = new Map<number, OpenCall>()
  /**
   * Content received after an incomplete call, because some vendors send text in the middle of arguments. Calls that
   * are too long to be parsed in one turn of the event loop count as incomplete until the candidate ends.
   */
  #deferred: JsonObject[] = []
  #partStart = 0
  #isInText = false
  /** Whether an unsigned thought has been sent. */
  #isInThought = false
  #reason: FinishReason = "other"
  #raw: string | undefined
  readonly #extra: JsonObject = {}
  readonly #members = new GrowingMembers()
  readonly #logprobs = new WrittenLogprobs()
  /** Characters of arguments in the parts that were returned since the last call to `takeLength`. */
  #length = 0

  constructor(index: number) {
    this.#index = index
  }

  /** Returns the characters of arguments in the parts that were returned since the last call to this method. */
  takeLength(): number {
    const length = this.#length
    this.#length = 0
    return length
  }

  text(text: string): readonly JsonObject[] {
    if (text === "") return NO_PARTS
    if (!this.#isInText) this.#partStart = this.#grounding.textLength
    this.#isInText = true
    this.#isInThought = false
    this.#grounding.append(text)
    return this.#behindCalls([this.#signatures.on({ text })])
  }

  thought(text: string): readonly JsonObject[] {
    if (text === "") return NO_PARTS
    this.#isInText = false
    this.#isInThought = true
    return this.#behindCalls([...this.#signatures.end(), { text, thought: true }])
  }

  signature(signature: string): readonly JsonObject[] {
    const isOfThought = this.#isInThought
    this.#isInThought = false
    if (!isOfThought) return [...this.#endCalls(), ...this.#signatures.hold(signature)]
    return [{ text: "", thought: true, thoughtSignature: wireSignature(signature) }]
  }

  media(media: ImagePart | AudioPart): readonly JsonObject[] {
    const parts = mediaParts(media)
    if (parts.length === 0) return NO_PARTS
    this.#isInText = false
    this.#isInThought = false
    return [...this.#endCalls(), ...parts.map((part) => this.#signatures.on(part))]
  }

  cite(citation: Citation): void {
    this.#grounding.add(citation, this.#partStart)
  }

  /** Adds a search. Text after it becomes a separate part. */
  search(search: WebSearchPart): void {
    this.#isInText = false
    this.#grounding.search(search)
  }

  callStart(call: number, id: string, name: string): void {
    this.#isInText = false
    this.#isInThought = false
    this.#calls.set(call, { id, name, signed: this.#signatures.on({}), arguments: "" })
  }

  callDelta(call: number, written: string): void {
    const open = this.#calls.get(call)
    if (open !== undefined) open.arguments += written
  }

  /** Returns the parts of an extra that exist in this dialect only. The other members are sent at the end. */
  extra(extra: Extra): readonly JsonObject[] {
    this.#logprobs.add(extra)
    const { parts, ...rest } = ownFields(DIALECT, extra) ?? {}
    this.#members.assign(this.#extra, rest)
    return ownParts(parts)
  }

  finish(reason: FinishReason, raw: string | undefined): readonly JsonObject[] {
    this.#reason = reason
    this.#raw = raw
    return this.#endCalls()
  }

  /** Returns the last chunk. It has an empty part, as in Google's own streams. */
  end(): CandidateEnd {
    const left = [...this.#endCalls(), ...this.#signatures.end()]
    return {
      index: this.#index,
      parts: left.length > 0 ? left : [{ text: "" }],
      reason: this.#reason,
      raw: this.#raw,
      grounding: this.#grounding,
      logprobs: this.#logprobs,
      extra: this.#extra,
    }
  }

  #behindCalls(parts: JsonObject[]): readonly JsonObject[] {
    const calls = [...this.#calls.values()]
    if (calls.length === 0) return parts
    const isComplete =
      this.#deferred.length === 0 &&
      calls.reduce((length, call) => length + call.arguments.length, 0) <= LARGE_BODY &&
      calls.every((call) => parseJsonObject(call.arguments) !== undefined)
    if (isComplete) return [...this.#endCalls(), ...parts]
    this.#deferred.push(...parts)
    return NO_PARTS
  }

  #endCalls(): readonly JsonObject[] {
    if (this.#calls.size === 0) return NO_PARTS
    for (const call of this.#calls.values()) this.#length += call.arguments.length
    const parts = [...this.#calls.values()].map(({ id, name, signed, arguments: written }) => ({
      ...callPart(id, name, written),
      ...signed,
    }))
    this.#calls.clear()
    const deferred = this.#deferred
    this.#deferred = []
    return [...parts, ...deferred]
  }
}
