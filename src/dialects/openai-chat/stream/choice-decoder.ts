import type { ChatEvent, SpeechOptions } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../../canon/json.ts"
import type { AudioPart, ImagePart } from "../../../canon/message.ts"
import type { OtherContent } from "../../../canon/other-content.ts"
import { defined } from "../../shared/fields.ts"
import { finishEvent } from "../../shared/finish.ts"
import { decodeAnnotations, TextSpan } from "../citations.ts"
import { decodeFinish } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { checkImages } from "../../shared/choices.ts"
import { decodeAudio, imagesIn } from "../media.ts"
import {
  detailText,
  extraOfDetail,
  isKnownDetail,
  proofOf,
  reasoningText,
} from "../reasoning/details.ts"
import { legacyCallIn } from "../result/calls.ts"
import { decodeContentParts } from "../result/content.ts"
import type { Sources } from "../search.ts"
import { OpenCalls } from "./open-calls.ts"

type SignatureEvent = Extract<ChatEvent, { type: "reasoning-signature" }>

/** Decodes the deltas of one choice of a stream. */
export class ChoiceDecoder {
  readonly #choice: number
  readonly #other: OtherContent
  readonly #speech: SpeechOptions | undefined
  readonly #calls = new OpenCalls()
  readonly #text = new TextSpan()
  #imageCount = 0
  /** Signatures for which an event was sent, since a list of details may repeat earlier details. */
  readonly #signatures = new Set<string>()
  /** Whether reasoning arrives as plain text, which the details only repeat. */
  #hasPlainReasoning = false
  /** The text so far; undefined until it is known that sources are listed. */
  #said: string | undefined
  #isCited = false
  #finished = false

  /**
   * @param other collects content that no event contains.
   * @param speech the requested audio format.
   */
  constructor(choice: number, other: OtherContent, speech?: SpeechOptions) {
    this.#choice = choice
    this.#other = other
    this.#speech = speech
  }

  get finished(): boolean {
    return this.#finished
  }

  /**
   * Handles a delta.
   * @returns the members that exist in this dialect only, under `message`.
   */
  delta(delta: JsonObject, events: ChatEvent[]): JsonObject | undefined {
    let members: [string, JsonValue][] | undefined
    for (const key in delta) {
      const value = delta[key]
      if (value === null || value === undefined || value === "") continue
      const kept = this.#member(key, value, delta, events)
      if (kept === undefined) continue
      ;(members ??= []).push([key, kept])
      this.#keep(key, kept)
    }
    return members && { message: Object.fromEntries(members) }
  }

  /** Keeps the text from now on, unless some text has already been decoded. */
  keepText(): void {
    if (this.#text.end === 0) this.#said ??= ""
  }

  /** Cites sources that are listed next to the choice, unless the choice already has citations. */
  cite(sources: Sources, events: ChatEvent[]): void {
    const choice = this.#choice
    const { end } = this.#text
    const citations = this.#isCited || end === 0 ? [] : sources.citationsOf(this.#said ?? "", end)
    for (const citation of citations) {
      events.push({ type: "citation", choice, citation: this.#text.within(citation) })
    }
    events.push({ type: "web-search", choice, search: sources.search })
  }

  /** Counts a member that is kept. Annotations were already counted when they were read. */
  #keep(key: string, value: JsonValue): void {
    if (key !== "annotations") this.#other.json(value)
  }

  /**
   * Ends the choice.
   * @param word the vendor's finish reason; empty if the vendor sent no reason.
   * @param stopSequence the stop sequence that ended the choice, if the vendor names it.
   * @param native the finish reason of the provider behind OpenRouter.
   */
  finish(
    word: string,
    events: ChatEvent[],
    {
      stopSequence,
      native,
    }: { stopSequence?: string | undefined; native?: JsonValue | undefined } = {},
  ): void {
    this.#finished = true
    this.announceCalls(events)
    const finish = decodeFinish(word, this.#calls.size > 0, native)
    events.push(finishEvent(this.#choice, defined({ ...finish, stopSequence })))
  }

  /** Ends a choice without a finish reason from the vendor, because the stream has ended. */
  finishWithoutReason(events: ChatEvent[]): void {
    this.finish(this.#calls.size === 0 ? "" : "tool_calls", events)
  }

  /** Announces calls that never received a name, because they still count as calls. */
  announceCalls(events: ChatEvent[]): void {
    this.#calls.announceAll(this.#choice, events)
  }

  /**
   * Handles a member of a delta.
   * @returns the part of the member that the canon cannot represent.
   */
  #member(
    key: string,
    value: JsonValue,
    delta: JsonObject,
    events: ChatEvent[],
  ): JsonValue | undefined {
    switch (key) {
      case "role":
      case "index":
        return undefined
      case "content":
        this.#content(value, events)
        return undefined
      case "reasoning_content":
        this.#reasoning(value, events)
        return undefined
      case "reasoning":
        // A server that sends both members sends the same text in each.
        if (!delta.reasoning_content) this.#reasoning(value, events)
        return undefined
      case "reasoning_details":
        return this.#details(value, delta, events)
      case "annotations":
        return this.#annotations(value, events)
      case "refusal":
        if (typeof value !== "string") return undefined
        this.#text.close()
        events.push({ type: "refusal-delta", choice: this.#choice, text: value })
        return undefined
      case "tool_calls":
        if (Array.isArray(value)) this.#toolCalls(value, events)
        return undefined
      case "images":
        return this.#images(delta, events) ? undefined : value
      case "audio":
        if (isJsonObject(value)) this.#media(decodeAudio(value, this.#speech), events)
        return undefined
      case "function_call":
        if (legacyCallIn(value) !== undefined) {
          this.#toolCalls([{ index: 0, function: value }], events)
        }
        return undefined
      default:
        return isWorthKeeping(value) ? value : undefined
    }
  }

  #content(value: JsonValue, events: ChatEvent[]): void {
    if (typeof value === "string") {
      this.#addText(value, events)
      return
    }
    for (const part of decodeContentParts(value)) {
      if (part.type === "text") this.#addText(part.text, events)
      else if (part.type === "image") this.#media(part, events)
      else this.#reasoning(part.text, events)
    }
  }

  /**
   * Handles the images of a delta.
   * @returns whether the images have a known form.
   */
  #images(delta: JsonObject, events: ChatEvent[]): boolean {
    const images = imagesIn(delta)
    for (const image of images ?? []) this.#media(image, events)
    return images !== undefined
  }

  #media(media: ImagePart | AudioPart, events: ChatEvent[]): void {
    this.#text.close()
    if (media.type === "image") checkImages(++this.#imageCount)
    events.push({ type: "media", choice: this.#choice, media })
  }

  #addText(text: string, events: ChatEvent[]): void {
    this.#text.grow(text)
    if (this.#said !== undefined) this.#said += text
    events.push({ type: "text-delta", choice: this.#choice, text })
  }

  #reasoning(value: JsonValue, events: ChatEvent[]): void {
    if (typeof value !== "string") return
    this.#hasPlainReasoning = true
    this.#addReasoning(value, events)
  }

  #addReasoning(text: string, events: ChatEvent[]): void {
    this.#text.close()
    events.push({ type: "reasoning-delta", choice: this.#choice, text })
  }

  /**
   * Handles the reasoning details of a delta.
   * @returns the details of kinds that the canon cannot represent.
   */
  #details(details: JsonValue, delta: JsonObject, events: ChatEvent[]): JsonValue | undefined {
    if (!Array.isArray(details)) return undefined
    const isReported = this.#hasPlainReasoning || reasoningText(delta) !== undefined
    const kept: JsonValue[] = []
    for (const detail of details) {
      if (!isJsonObject(detail)) continue
      const text = detailText(detail)
      if (text !== "" && !isReported) this.#addReasoning(text, events)
      this.#sign(detail, events)
      if (!isKnownDetail(detail)) kept.push(detail)
    }
    return kept.length === 0 ? undefined : kept
  }

  #sign(detail: JsonObject, events: ChatEvent[]): void {
    const proof = proofOf(detail)
    if (proof === undefined || this.#signatures.has(proof.signature)) return
    this.#signatures.add(proof.signature)
    this.#text.close()
    const choice = this.#choice
    const event: Writable<SignatureEvent> = {
      type: "reasoning-signature",
      choice,
      signedBy: DIALECT,
      ...proof,
    }
    const id = textAt(detail, "id")
    if (id !== undefined) event.id = id
    const extra = extraOfDetail(detail)
    if (extra !== undefined) event.extra = extra
    events.push(event)
  }

  /**
   * Handles the annotations of a delta.
   * @returns the annotations that are not citations.
   */
  #annotations(value: JsonValue, events: ChatEvent[]): JsonValue | undefined {
    this.#other.json(value)
    if (!Array.isArray(value)) return isWorthKeeping(value) ? value : undefined
    const { citations, others } = decodeAnnotations(value)
    this.#isCited ||= citations.length > 0
    for (const citation of citations) {
      const choice = this.#choice
      events.push({ type: "citation", choice, citation: this.#text.within(citation) })
    }
    return others
  }

  #toolCalls(deltas: readonly JsonValue[], events: ChatEvent[]): void {
    const { size } = this.#calls
    for (const delta of deltas) {
      if (!isJsonObject(delta)) continue
      this.#calls.push(delta, this.#choice, events)
    }
    if (this.#calls.size > size) this.#text.close()
  }
}

/** Whether a member is kept. Null and empty members are dropped. */
export function isWorthKeeping(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value !== "object") return true
  for (const _ in value) return true
  return false
}
