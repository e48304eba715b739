import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../../canon/dialect.ts"
import { isJsonObject, type JsonObject, listAt, objectAt } from "../../../canon/json.ts"
import { OtherContent } from "../../../canon/other-content.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import { checkChoices, StreamedChoices } from "../../shared/choices.ts"
import { isDoneMark, parseFrame } from "../../shared/stream.ts"
import { decodeErrorEvent } from "../errors.ts"
import { responseHead, blockReason } from "../result/head.ts"
import { Candidate } from "./candidate.ts"
import { decodeGeminiUsage } from "../../shared/gemini-usage.ts"

/**
 * Creates a decoder for one stream of `GenerateContentResponse` chunks (docs/contribute/wire/gemini.md#f9 and
 * docs/contribute/wire/gemini.md#f5). The stream has no final frame. It is complete when every candidate has a finish
 * reason.
 */
export function decodeEvents(asked?: Pick<ChatRequest, "choices">): EventDecoder {
  return new ResponseDecoder(asked?.choices)
}

class ResponseDecoder implements EventDecoder {
  readonly other = new OtherContent()
  readonly #candidates = new Map<number, Candidate>()
  readonly #numbers: StreamedChoices
  #started = false

  /** @param asked the number of requested choices. */
  constructor(asked: number | undefined) {
    this.#numbers = new StreamedChoices(asked)
  }

  get finished(): boolean {
    if (this.#candidates.size === 0) return false
    for (const candidate of this.#candidates.values()) {
      if (!candidate.isFinished) return false
    }
    return true
  }

  push(frame: SseFrame): ChatEvent[] {
    const events: ChatEvent[] = []
    if (frame.json !== undefined) this.#onAnswer(frame.json, events)
    else if (frame.data !== "" && !isDoneMark(frame)) this.#onAnswer(parseFrame(frame), events)
    return events
  }

  /**
   * Ends all candidates. This is only possible at the end of the stream, because content may follow a finish reason.
   */
  end(): ChatEvent[] {
    const events: ChatEvent[] = []
    for (const candidate of this.#candidates.values()) candidate.end(events)
    return events
  }

  #onAnswer(response: JsonObject, events: ChatEvent[]): void {
    const error = objectAt(response, "error")
    if (error !== undefined) {
      const usage = decodeGeminiUsage(response.usageMetadata)
      if (usage !== undefined) events.push({ type: "usage", usage })
      events.push(decodeErrorEvent(error))
      return
    }
    if (!this.#started) {
      this.#started = true
      events.push({ type: "start", ...responseHead(response) })
    }
    const candidates = listAt(response, "candidates")
    checkChoices(candidates)
    for (const [position, candidate] of candidates.entries()) {
      if (isJsonObject(candidate)) this.#candidateOf(candidate, position)?.push(candidate, events)
    }
    const blocked = this.#candidates.size === 0 ? blockReason(response) : undefined
    if (blocked !== undefined) this.#candidateOf({}, 0)?.finish(blocked)
    const usage = decodeGeminiUsage(response.usageMetadata)
    if (usage !== undefined) events.push({ type: "usage", usage })
  }

  /**
   * Returns the decoder of a candidate.
   * @returns undefined for a candidate that the caller did not request.
   */
  #candidateOf({ index }: JsonObject, position: number): Candidate | undefined {
    const choice = this.#numbers.numberOf(choiceNumber(index, position))
    if (choice === undefined) return undefined
    let candidate = this.#candidates.get(choice)
    if (candidate === undefined) {
      candidate = new Candidate(choice, this.other)
      this.#candidates.set(choice, candidate)
    }
    return candidate
  }
}
