import { GrowingMembers } from "../../../canon/response-limits.ts"
import type { ChatEvent } from "../../../canon/chat.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Part, ToolCallPart } from "../../../canon/message.ts"
import type { OtherContent } from "../../../canon/other-content.ts"
import { finishEvent } from "../../shared/finish.ts"
import { decodeCitations } from "../citations/decode.ts"
import { decodeFinish, finishWord } from "../finish.ts"
import { checkImages, checkToolCalls } from "../../shared/choices.ts"
import { DIALECT } from "../identifiers.ts"
import { decodePart } from "../messages/decode-parts.ts"
import { candidateExtra } from "../result/head.ts"
import { decodeSearch } from "../search.ts"
import { ArgumentSize, PartialArguments } from "../tools/partial-arguments.ts"

/** Metadata of a candidate that is not part of its content. */
const METADATA_MEMBERS: ReadonlySet<string> = new Set([
  "safetyRatings",
  "avgLogprobs",
  "logprobsResult",
  "tokenCount",
  "finishMessage",
  "score",
])

/** A call whose arguments are still arriving. */
interface OpenCall {
  readonly call: number
  readonly arguments: PartialArguments
}

/** Decodes one candidate of a streamed response, chunk by chunk. */
export class Candidate {
  readonly #choice: number
  readonly #other: OtherContent
  #calls = 0
  #imageCount = 0
  #openCall: OpenCall | undefined
  /** The total size of the streamed arguments of all calls. */
  readonly #argumentSize = new ArgumentSize()
  #text = ""
  #lastPartStart = 0
  /** Characters of thoughts that were shown since the last signature. */
  #shown = 0
  #isInText = false
  /**
   * A signature without text. It is held back because it may be the last part, and citations belong to the text before
   * it.
   */
  #heldSignature: Extract<ChatEvent, { type: "reasoning-signature" }> | undefined
  #finishWord: string | undefined
  /** Members that exist in this dialect only. A repeated member is complete each time, so the last value is used. */
  #rest: JsonObject | undefined
  readonly #members = new GrowingMembers()
  /** The log probabilities of all chunks. */
  readonly #tokens: { chosenCandidates: JsonValue[]; topCandidates: JsonValue[] } = {
    chosenCandidates: [],
    topCandidates: [],
  }

  /** @param other collects content that no event contains, and content that only the last event contains. */
  constructor(choice: number, other: OtherContent) {
    this.#choice = choice
    this.#other = other
  }

  /** Whether the candidate's finish reason has been sent. */
  get isFinished(): boolean {
    return this.#finishWord !== undefined
  }

  push(candidate: JsonObject, events: ChatEvent[]): void {
    const content = objectAt(candidate, "content")
    for (const part of content === undefined ? [] : listAt(content, "parts")) {
      if (isJsonObject(part)) this.#onPart(part, events)
    }
    const rest = candidateExtra(candidate)
    if (rest !== undefined) {
      this.#keep(rest)
      this.#other.wholeAt(this.#choice, unknownFields(rest, METADATA_MEMBERS))
    }
    const word = finishWord(candidate)
    if (word !== undefined) this.finish(word)
  }

  /**
   * Adds the members of a chunk without copying the earlier ones, because copying would take quadratic time. Log
   * probabilities are appended, because they cover only the tokens of their chunk. The chunk is not changed, because it
   * may be passed on.
   */
  #keep(rest: JsonObject): void {
    this.#rest ??= {}
    const isLater = this.#rest.logprobsResult !== undefined
    this.#members.assign(this.#rest, rest)
    const next = objectAt(rest, "logprobsResult")
    if (next === undefined) return
    const { chosenCandidates, topCandidates } = this.#tokens
    for (const token of listAt(next, "chosenCandidates")) chosenCandidates.push(token)
    for (const token of listAt(next, "topCandidates")) topCandidates.push(token)
    if (isLater) this.#rest.logprobsResult = { ...next, ...this.#tokens }
  }

  finish(word: string): void {
    this.#finishWord = word
  }

  /** Sends the events that are only possible once the candidate has ended. */
  end(events: ChatEvent[]): void {
    this.#closeCall(events)
    const choice = this.#choice
    if (this.#rest !== undefined) {
      const cited = { text: this.#text, lastPartStart: this.#lastPartStart }
      for (const citation of decodeCitations(this.#rest, cited)) {
        events.push({ type: "citation", choice, citation })
      }
      this.#releaseSignature(events)
      events.push({ type: "choice-extra", choice, extra: extraOf(DIALECT, this.#rest) })
      const search = decodeSearch(this.#rest)
      if (search !== undefined) events.push({ type: "web-search", choice, search })
    }
    this.#releaseSignature(events)
    if (this.#finishWord === undefined) return
    events.push(finishEvent(choice, decodeFinish(this.#finishWord, this.#calls > 0)))
  }

  #releaseSignature(events: ChatEvent[]): void {
    if (this.#heldSignature === undefined) return
    events.push(this.#heldSignature)
    this.#heldSignature = undefined
    this.#isInText = false
  }

  #onPart(part: JsonObject, events: ChatEvent[]): void {
    this.#releaseSignature(events)
    const call = objectAt(part, "functionCall")
    if (call !== undefined && this.#continueCall(call, events)) return
    for (const decoded of decodePart(part)) this.#onDecoded(decoded, part, events)
  }

  #onDecoded(decoded: Part, part: JsonObject, events: ChatEvent[]): void {
    const choice = this.#choice
    switch (decoded.type) {
      case "text":
        if (!this.#isInText) this.#lastPartStart = this.#text.length
        this.#isInText = true
        this.#text += decoded.text
        events.push({ type: "text-delta", choice, text: decoded.text })
        break
      case "reasoning": {
        const { text, signature, signedBy } = decoded
        this.#shown += text.length
        if (text !== "") events.push({ type: "reasoning-delta", choice, text })
        if (signature !== undefined && signedBy !== undefined) {
          this.#countHidden(signature, part)
          const event = { type: "reasoning-signature", choice, signature, signedBy } as const
          if (this.#isInText && isOnlySignature(part)) {
            this.#heldSignature = event
            break
          }
          events.push(event)
        }
        this.#isInText = false
        break
      }
      case "tool-call":
        this.#isInText = false
        this.#onCall(decoded, objectAt(part, "functionCall"), events)
        break
      case "image":
      case "audio":
        this.#isInText = false
        if (decoded.type === "image") checkImages(++this.#imageCount)
        events.push({ type: "media", choice, media: decoded })
        break
      default:
        this.#other.json(part)
        events.push({ type: "choice-extra", choice, extra: extraOf(DIALECT, { parts: [part] }) })
    }
  }

  /**
   * Counts hidden thoughts by their signature, which contains hidden or summarized thoughts. The signature of an image
   * is counted with the image.
   */
  #countHidden(signature: string, part: JsonObject): void {
    if (part.inlineData === undefined) this.#other.hiddenReasoning(signature.slice(this.#shown))
    this.#shown = 0
  }

  #onCall(decoded: ToolCallPart, raw: JsonObject | undefined, events: ChatEvent[]): void {
    const choice = this.#choice
    const call = this.#calls++
    checkToolCalls(this.#calls)
    events.push({ type: "tool-call-start", choice, call, id: decoded.id, name: decoded.name })
    if (raw?.willContinue === true) {
      this.#openCall = { call, arguments: new PartialArguments({}, this.#argumentSize) }
      this.#addArguments(raw)
    } else {
      events.push({ type: "tool-call-delta", choice, call, arguments: decoded.arguments })
    }
  }

  /**
   * Adds the arguments of a call that Vertex streams in parts without a name. The last part does not announce a
   * continuation.
   */
  #continueCall(raw: JsonObject, events: ChatEvent[]): boolean {
    if (this.#openCall === undefined) return false
    const isAnother = textAt(raw, "name") !== undefined
    if (!isAnother) this.#addArguments(raw)
    if (isAnother || raw.willContinue !== true) this.#closeCall(events)
    return !isAnother
  }

  #addArguments(raw: JsonObject): void {
    if (this.#openCall === undefined) return
    this.#openCall.arguments.add(listAt(raw, "partialArgs"))
  }

  #closeCall(events: ChatEvent[]): void {
    if (this.#openCall === undefined) return
    const {
      call,
      arguments: { whole },
    } = this.#openCall
    this.#openCall = undefined
    const text = JSON.stringify(whole)
    events.push({ type: "tool-call-delta", choice: this.#choice, call, arguments: text })
  }
}

const SIGNATURE_FIELDS: ReadonlySet<string> = new Set(["text", "thoughtSignature"])

function isOnlySignature(part: JsonObject): boolean {
  return !part.text && unknownFields(part, SIGNATURE_FIELDS) === undefined
}
