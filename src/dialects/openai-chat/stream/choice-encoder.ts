import type { ChatEvent, SpeechOptions } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type {
  AudioPart,
  CallOrigin,
  Citation,
  ImagePart,
  ReasoningPart,
} from "../../../canon/message.ts"
import { encodeCitation, TextSpan } from "../citations.ts"
import { encodeImages, WrittenAudio } from "../media.ts"
import { encodeDetail, type PlacedReasoning } from "../reasoning/details.ts"
import { WrittenCall } from "./written-call.ts"

/** Maximum repeated characters; beyond that, all details are sent once more, at the end. */
const MAX_REPEATED = 1_000_000

type SignatureEvent = Extract<ChatEvent, { type: "reasoning-signature" }>

/**
 * The state of one choice of a stream. Lists require it: openai-node keeps only the last delta's, openai-python
 * joins those of all deltas by their `index`. So each list of details repeats the earlier ones under new
 * indexes, and citations are sent in one list at the end.
 */
export class ChoiceEncoder {
  readonly #calls = new Map<number, WrittenCall>()
  readonly #text = new TextSpan()
  readonly #signed: PlacedReasoning[] = []
  readonly #annotations: JsonValue[] = []
  /** Details in all lists so far. */
  #listed = 0
  /** Characters of all details, and of all lists of them. */
  #size = 0
  #repeated = 0
  #owesDetails = false
  /** The current chunk of reasoning. */
  #reasoning = ""
  /** Whether the last event was a signature. */
  #isSigned = false
  #hasSpoken = false
  /** Images so far. */
  #images = 0
  #audio: WrittenAudio | undefined
  /** Its call is in the legacy form, which has its own finish reason. */
  isLegacy = false

  text(text: string): void {
    this.#speak()
    this.#text.grow(text)
  }

  refusal(): void {
    this.#speak()
    this.#text.close()
  }

  reasoning(text: string): void {
    this.#reasoning += text
    this.#isSigned = false
    this.#text.close()
  }

  /** @returns the details of this chunk and of the earlier ones; empty if they are sent at the end. */
  sign(event: SignatureEvent): JsonValue[] {
    const { signature, signedBy, isRedacted, id, extra } = event
    const part: Writable<ReasoningPart> = { type: "reasoning", text: "", signature, signedBy }
    if (isRedacted === true) part.isRedacted = true
    else part.text = this.#takeReplaced(id) ?? this.#reasoning
    if (id !== undefined) part.id = id
    if (extra !== undefined) part.extra = extra
    this.#reasoning = ""
    this.#isSigned = true
    this.#text.close()
    this.#signed.push(this.#hasSpoken ? { part, call: this.#calls.size } : { part })
    this.#size += part.text.length + signature.length
    this.#owesDetails = this.#repeated + this.#size > MAX_REPEATED
    if (this.#owesDetails) return []
    this.#repeated += this.#size
    return this.#details()
  }

  /** Details not written yet. */
  takeDetails(): JsonValue[] {
    if (!this.#owesDetails) return []
    this.#owesDetails = false
    return this.#details()
  }

  /** @returns the delta of an image or of a piece of audio; undefined if there is nothing to send. */
  media(media: ImagePart | AudioPart, speech: SpeechOptions | undefined): JsonObject | undefined {
    this.#speak()
    this.#text.close()
    if (media.type === "audio") {
      this.#audio ??= new WrittenAudio(speech)
      return { audio: this.#audio.piece(media) }
    }
    const images = encodeImages([media], this.#images)
    this.#images += images.length
    return images.length === 0 ? undefined : { images }
  }

  /** Text after a search is a separate part. */
  search(): void {
    this.#text.close()
  }

  cite(citation: Citation): void {
    const annotation = encodeCitation(citation, this.#text)
    if (annotation === undefined) return
    this.#annotations.push({ index: this.#annotations.length, ...annotation })
  }

  callStart(call: number, form: CallOrigin["form"] = "function"): WrittenCall {
    this.#speak()
    this.#text.close()
    // A message can have one call in the legacy form; further ones use the current form.
    const own = form === "legacy" && this.#calls.size > 0 ? "function" : form
    if (own === "legacy") this.isLegacy = true
    const written = new WrittenCall(call, own)
    this.#calls.set(call, written)
    return written
  }

  call(call: number): WrittenCall {
    return this.#calls.get(call) ?? this.callStart(call)
  }

  /** Citations not written yet. */
  takeAnnotations(): JsonValue[] {
    return this.#annotations.splice(0)
  }

  /** The rest of the calls. */
  takeCalls(): string[] {
    return [...this.#calls.values()]
      .map((call) => call.rest())
      .filter((delta) => delta !== undefined)
  }

  /**
   * A signature right after another replaces it (docs/contribute/wire/anthropic-messages.md#f8). @returns the text that
   * they sign.
   */
  #takeReplaced(id: string | undefined): string | undefined {
    const last = this.#isSigned ? this.#signed.at(-1)?.part : undefined
    if (last === undefined || last.isRedacted === true || last.id !== id) return undefined
    this.#signed.pop()
    return last.text
  }

  #details(): JsonValue[] {
    return this.#signed.map((placed) => encodeDetail(placed, this.#listed++))
  }

  #speak(): void {
    this.#hasSpoken = true
    this.#isSigned = false
    this.#reasoning = ""
  }
}
