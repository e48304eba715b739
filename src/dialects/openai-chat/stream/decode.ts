import { withoutMetadata, withoutOperatorData } from "../../shared/vendor-costs.ts"
import { reportedErrorIn } from "../../../canon/reported-error.ts"
import type { ChatEvent, ChatRequest } from "../../../canon/chat.ts"
import type { EventDecoder, SseFrame } from "../../../canon/dialect.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { OtherContent } from "../../../canon/other-content.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import { checkChoices, StreamedChoices } from "../../shared/choices.ts"
import { defined } from "../../shared/fields.ts"
import { isDoneMark, parseFrameOrError } from "../../shared/stream.ts"
import { decodeErrorEvent, noChoice } from "../errors.ts"
import { reportedStop } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { isUnixTime } from "../../shared/time.ts"
import { ChoiceDecoder, isWorthKeeping } from "./choice-decoder.ts"
import { Sources } from "../search.ts"
import { choiceUsage, chunkUsage, decodeUsage } from "../usage.ts"

/** Members of a chunk that do not affect the response as a whole, or that only pad the chunk. */
const CHUNK_FIELDS = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "x_groq",
  "obfuscation",
  "p",
])

/**
 * Members of a chunk or a choice that describe how a response was generated, such as metadata of a vendor's filters,
 * samplers and servers. A chunk with only these members starts a response, as does a delta with only a role.
 */
const CHUNK_REMARKS = new Set([
  ...CHUNK_FIELDS,
  "service_tier",
  "system_fingerprint",
  "provider",
  "prompt_filter_results",
  "prompt_token_ids",
  "nvext",
])
const CHOICE_FIELDS = new Set(["index", "delta", "finish_reason", "message", "usage"])
const CHOICE_REMARKS = new Set([
  "logprobs",
  "content_filter_results",
  "content_filter_result",
  "content_filter_offsets",
  "native_finish_reason",
  "stop_reason",
  "matched_stop",
  "token_ids",
  "prompt_token_ids",
  "seed",
])

/**
 * Creates a decoder for one stream of chat completion chunks (docs/contribute/wire/openai-chat.md#f5,
 * docs/contribute/wire/openai-chat.md#f6, docs/contribute/wire/README.md#f1 and docs/contribute/wire/README.md#f2).
 */
export function decodeEvents(request?: ChatRequest): EventDecoder {
  return new ChunkDecoder(request)
}

class ChunkDecoder implements EventDecoder {
  readonly other = new OtherContent()
  readonly #choices = new Map<number, ChoiceDecoder>()
  /** The parts of the request that determine the meaning of a response. */
  readonly #asked: Pick<ChatRequest, "stop" | "speech" | "choices"> | undefined
  readonly #numbers: StreamedChoices
  #started = false
  #finished = false
  /** The last chunk with sources. Each of these chunks lists all sources so far. */
  #sources: JsonObject | undefined
  #readSources: Sources | undefined

  constructor(asked: Pick<ChatRequest, "stop" | "speech" | "choices"> | undefined) {
    this.#asked = asked
    this.#numbers = new StreamedChoices(asked?.choices)
  }

  get finished(): boolean {
    return this.#finished
  }

  push(frame: SseFrame): ChatEvent[] {
    const events: ChatEvent[] = []
    // Frames after the final mark are not part of the response.
    if (this.#finished) return events
    if (isDoneMark(frame)) this.#onDone(events)
    else if (frame.json !== undefined) this.#onChunk(frame.json, frame.event, events)
    else if (frame.data !== "") this.#onChunk(parseFrameOrError(frame), frame.event, events)
    return events
  }

  /** Ends the stream. If all choices have finished, the stream is complete even without `[DONE]`. */
  end(): ChatEvent[] {
    const events: ChatEvent[] = []
    let open = this.#choices.size === 0
    for (const choice of this.#choices.values()) {
      choice.announceCalls(events)
      if (!choice.finished) open = true
    }
    if (!open) this.#finished = true
    return events
  }

  /** Ends the response. Some servers omit the finish reason of a response that is complete. */
  #onDone(events: ChatEvent[]): void {
    if (this.#choices.size === 0) throw noChoice()
    this.#finished = true
    for (const choice of this.#choices.values()) {
      if (choice.finished) continue
      this.#cite(choice, events)
      choice.finishWithoutReason(events)
    }
  }

  #onChunk(chunk: JsonObject, event: string | undefined, events: ChatEvent[]): void {
    if (event === "error" || chunk.error) {
      if (isJsonObject(chunk.usage) || chunk.x_groq !== undefined) onUsage(chunk, events)
      events.push(decodeErrorEvent(chunk))
      return
    }
    const { choices } = chunk
    const failure = chunk.base_resp === undefined ? undefined : reportedErrorIn(chunk)
    if (failure !== undefined) {
      if (isJsonObject(chunk.usage)) onUsage(chunk, events)
      events.push(decodeErrorEvent(failure))
      return
    }
    if (chunk.citations !== undefined || chunk.search_results !== undefined) {
      this.#sources = chunk
      this.#readSources = undefined
    }
    if (Array.isArray(choices)) {
      checkChoices(choices)
      if (!this.#started) this.#onStart(chunk, choices.length > 0, events)
      for (let position = 0; position < choices.length; position++) {
        const choice = choices[position]
        if (isJsonObject(choice)) this.#onChoice(choice, position, events)
      }
    }
    // The other members of a frame are only checked if the frame contains no text.
    if (events.length === 0 || events[0]?.type === "start") {
      this.other.json(unknownFields(chunk, CHUNK_REMARKS))
    }
    if (isJsonObject(chunk.usage) || chunk.x_groq !== undefined) onUsage(chunk, events)
    else if (Array.isArray(choices) && this.#choices.size === 1) {
      const usage = decodeUsage(choiceUsage(choices))
      if (usage !== undefined) events.push({ type: "usage", usage })
    }
  }

  /**
   * Starts the response. Azure's first chunk has neither id nor model, so the first chunk that has them starts the
   * response.
   */
  #onStart(chunk: JsonObject, hasChoices: boolean, events: ChatEvent[]): void {
    const id = textAt(chunk, "id")
    if (id === undefined && !hasChoices) return
    this.#started = true
    const extra = unknownFields(chunk, CHUNK_FIELDS)
    events.push(
      defined({
        type: "start",
        id,
        model: textAt(chunk, "model"),
        created: isUnixTime(chunk.created) ? chunk.created : undefined,
        extra: extra && extraOf(DIALECT, withoutOperatorData(extra)),
      }),
    )
  }

  #onChoice(received: JsonObject, position: number, events: ChatEvent[]): void {
    const value = withoutMetadata(received)
    const choice = this.#numbers.numberOf(choiceNumber(value.index, position))
    if (choice === undefined) return
    const decoder = this.#decoderOf(choice)
    if (isJsonObject(value.error)) {
      events.push(decodeErrorEvent(value))
      return
    }
    if (this.#sources !== undefined) decoder.keepText()
    // Some servers send a whole message in a stream.
    const delta = isJsonObject(value.delta) ? value.delta : value.message
    const said = isJsonObject(delta) ? decoder.delta(withoutMetadata(delta), events) : undefined
    let members: [string, JsonValue][] | undefined
    for (const key in value) {
      if (CHOICE_FIELDS.has(key)) continue
      const member = value[key]
      if (member === undefined || !isWorthKeeping(member)) continue
      ;(members ??= []).push([key, member])
      if (!CHOICE_REMARKS.has(key)) this.other.json(member)
    }
    const extra = members === undefined ? said : { ...said, ...Object.fromEntries(members) }
    if (extra !== undefined)
      events.push({ type: "choice-extra", choice, extra: extraOf(DIALECT, extra) })
    if (
      typeof value.finish_reason === "string" &&
      value.finish_reason !== "" &&
      !decoder.finished
    ) {
      this.#cite(decoder, events)
      decoder.finish(value.finish_reason, events, {
        stopSequence: reportedStop(value, this.#asked?.stop),
        native: value.native_finish_reason,
      })
    }
  }

  #cite(decoder: ChoiceDecoder, events: ChatEvent[]): void {
    if (this.#sources === undefined) return
    this.#readSources ??= Sources.of(this.#sources)
    if (this.#readSources !== undefined) decoder.cite(this.#readSources, events)
  }

  #decoderOf(choice: number): ChoiceDecoder {
    let decoder = this.#choices.get(choice)
    if (decoder === undefined) {
      decoder = new ChoiceDecoder(choice, this.other, this.#asked?.speech)
      this.#choices.set(choice, decoder)
    }
    return decoder
  }
}

function onUsage(chunk: JsonObject, events: ChatEvent[]): void {
  const usage = decodeUsage(chunkUsage(chunk))
  if (usage !== undefined) events.push({ type: "usage", usage })
}
