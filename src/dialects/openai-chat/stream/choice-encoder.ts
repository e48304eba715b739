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
import { TextReader } from "../../shared/text-tool.ts"

/** Maximum characters of repeated details. Beyond the maximum, all details are sent once more at the end. */
const MAX_REPEATED = 1_000_000

type SignatureEvent = Extract<ChatEvent, { type: "reasoning-signature" }>

/**
 * The state of one choice of a stream. It is needed for lists: openai-node keeps only the list of the last delta, and
 * openai-python joins the lists of all deltas by `index`. Each list of details therefore repeats the earlier details
 * with new indexes, and citations are sent in one list at the end.
 */
export class ChoiceEncoder {
  readonly #calls = new Map<number, WrittenCall>()
  readonly #text = new TextSpan()
  readonly #signed: PlacedReasoning[] = []
  readonly #annotations: JsonValue[] = []
  /** Number of details in all lists so far. */
  #listed = 0
  /** Characters of all details, and of the lists that contain them. */
  #size = 0
  #repeated = 0
  #hasPendingDetails = false
  /** The text of the current chunk of reasoning. */
  #reasoning = ""
  /** Whether the last event was a signature. */
  #isSigned = false
  #hasContent = false
  /** Number of images so far. */
  #images = 0
  #audio: WrittenAudio | undefined
  /** Whether the call of this choice is in the legacy form, which has its own finish reason. */
  isLegacy = false

  text(text: string): void {
    this.#endReasoning()
    this.#text.grow(text)
  }

  refusal(): void {
    this.#endReasoning()
    this.#text.close()
  }

  reasoning(text: string): void {
    this.#reasoning += text
    this.#isSigned = false
    this.#text.close()
  }

  /**
   * Handles a signature.
   * @returns the details of this chunk and of the earlier chunks; empty if they are sent at the end.
   */
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
    this.#signed.push(this.#hasContent ? { part, call: this.#calls.size } : { part })
    this.#size += part.text.length + signature.length
    this.#hasPendingDetails = this.#repeated + this.#size > MAX_REPEATED
    if (this.#hasPendingDetails) return []
    this.#repeated += this.#size
    return this.#details()
  }

  /** Returns the details that are not written yet. */
  takeDetails(): JsonValue[] {
    if (!this.#hasPendingDetails) return []
    this.#hasPendingDetails = false
    return this.#details()
  }

  /**
   * Handles media.
   * @returns the delta of an image or of a piece of audio; undefined if there is nothing to send.
   */
  media(media: ImagePart | AudioPart, speech: SpeechOptions | undefined): JsonObject | undefined {
    this.#endReasoning()
    this.#text.close()
    if (media.type === "audio") {
      this.#audio ??= new WrittenAudio(speech)
      return { audio: this.#audio.piece(media) }
    }
    const images = encodeImages([media], this.#images)
    this.#images += images.length
    return images.length === 0 ? undefined : { images }
  }

  /** Ends the text part, because text after a search is a separate part. */
  search(): void {
    this.#text.close()
  }

  cite(citation: Citation): void {
    const annotation = encodeCitation(citation, this.#text)
    if (annotation === undefined) return
    this.#annotations.push({ index: this.#annotations.length, ...annotation })
  }

  callStart(call: number, form: CallOrigin["form"] = "function"): WrittenCall {
    this.#endReasoning()
    this.#text.close()
    // A message can have only one call in the legacy form. Further calls use the current form.
    const own = form === "legacy" && this.#calls.size > 0 ? "function" : form
    if (own === "legacy") this.isLegacy = true
    const written = new WrittenCall(call, own)
    this.#calls.set(call, written)
    return written
  }

  call(call: number): WrittenCall {
    return this.#calls.get(call) ?? this.callStart(call)
  }

  /** Returns the citations that are not written yet. */
  takeAnnotations(): JsonValue[] {
    return this.#annotations.splice(0)
  }

  /** Returns the deltas that complete the calls. */
  takeCalls(): string[] {
    return [...this.#calls.values()]
      .map((call) => call.rest())
      .filter((delta) => delta !== undefined)
  }

  /**
   * Removes a signature that the next one replaces, because no event is between them
   * (docs/contribute/wire/anthropic-messages.md#f8).
   * @returns the text that both signatures sign.
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

  #endReasoning(): void {
    this.#hasContent = true
    this.#isSigned = false
    this.#reasoning = ""
  }
}

/** Writes a tool call of a streamed response, in the form in which the caller declared the tool. */
class WrittenCall {
  readonly #call: number
  readonly #isLegacy: boolean
  readonly #reader: TextReader | undefined
  #hasArguments = false

  /** @param form the form of the call. One call of a choice can be in the legacy form, which has no number. */
  constructor(call: number, form: CallOrigin["form"]) {
    this.#call = call
    this.#isLegacy = form === "legacy"
    if (form === "text") this.#reader = new TextReader()
  }

  /**
   * Returns the delta that starts the call. Only this delta has an id, a type and a name
   * (docs/contribute/wire/openai-chat.md#f6).
   */
  opening(id: string, name: string): string {
    if (this.#isLegacy) return JSON.stringify({ function_call: { name, arguments: "" } })
    const index = this.#call
    const opened =
      this.#reader === undefined
        ? { index, id, type: "function", function: { name, arguments: "" } }
        : { index, id, type: "custom", custom: { name, input: "" } }
    return JSON.stringify({ tool_calls: [opened] })
  }

  /**
   * Handles a chunk of the arguments.
   * @returns its delta; undefined if there is nothing to send yet.
   */
  chunk(written: string): string | undefined {
    this.#hasArguments = true
    if (this.#reader !== undefined) return this.#text(this.#reader.push(written))
    const text = JSON.stringify(written)
    return this.#isLegacy
      ? `{"function_call":{"arguments":${text}}}`
      : `{"tool_calls":[{"index":${this.#call},"function":{"arguments":${text}}}]}`
  }

  /**
   * Returns the delta that completes the arguments. A call without arguments gets an empty object
   * (docs/contribute/wire/README.md#f3).
   */
  rest(): string | undefined {
    if (this.#reader !== undefined) return this.#text(this.#reader.end())
    return this.#hasArguments ? undefined : this.chunk("{}")
  }

  #text(text: string): string | undefined {
    if (text === "") return undefined
    return `{"tool_calls":[{"index":${this.#call},"custom":{"input":${JSON.stringify(text)}}}]}`
  }
}
