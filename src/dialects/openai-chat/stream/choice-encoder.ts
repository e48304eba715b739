import type { ChatEvent } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { CallOrigin, Citation, ReasoningPart } from "../../../canon/message.ts"
import { encodeCitation, TextSpan } from "../citations.ts"
import { encodeDetail, type PlacedReasoning } from "../reasoning/details.ts"
import { WrittenCall } from "./written-call.ts"

/** Characters that are written again at most; beyond that, all details come once more at the end alone. */
const MAX_REPEATED = 1_000_000

type SignatureEvent = Extract<ChatEvent, { type: "reasoning-signature" }>

/**
 * What has to be remembered of one choice of a stream. Lists are the reason: openai-node keeps only
 * the last delta's, openai-python joins those of all deltas by their `index`. So each list of details
 * repeats those before it under new indexes, and citations come in one list at the end.
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
  /** The chunk of reasoning that is being written. */
  #reasoning = ""
  /** The last thing said was a signature. */
  #isSigned = false
  #hasSpoken = false
  /** Its call is in the older form, which has a word of its own for why it ended. */
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

  /** @returns the details of this chunk and of those before it; none where they come at the end. */
  sign(event: SignatureEvent): JsonValue[] {
    const { signature, signedBy, isRedacted, id } = event
    const part: Writable<ReasoningPart> = { type: "reasoning", text: "", signature, signedBy }
    if (isRedacted === true) part.isRedacted = true
    else part.text = this.#takeReplaced(id) ?? this.#reasoning
    if (id !== undefined) part.id = id
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

  /** Details that are still to be written. */
  takeDetails(): JsonValue[] {
    if (!this.#owesDetails) return []
    this.#owesDetails = false
    return this.#details()
  }

  /** Text behind a search is another part than the one before. */
  search(): void {
    this.#text.close()
  }

  cite(citation: Citation): void {
    const annotation: JsonObject = encodeCitation(citation, this.#text)
    this.#annotations.push({ index: this.#annotations.length, ...annotation })
  }

  callStart(call: number, form: CallOrigin["form"] = "function"): WrittenCall {
    this.#speak()
    this.#text.close()
    // Of the older form there is one call in a message; further ones are calls of today.
    const own = form === "legacy" && this.#calls.size > 0 ? "function" : form
    if (own === "legacy") this.isLegacy = true
    const written = new WrittenCall(call, own)
    this.#calls.set(call, written)
    return written
  }

  call(call: number): WrittenCall {
    return this.#calls.get(call) ?? this.callStart(call)
  }

  /** Citations that are still to be written. */
  takeAnnotations(): JsonValue[] {
    return this.#annotations.splice(0)
  }

  /** What is still to be written of calls. */
  takeCalls(): string[] {
    return [...this.#calls.values()]
      .map((call) => call.rest())
      .filter((delta) => delta !== undefined)
  }

  /**
   * A signature right after another replaces it (docs/wire/anthropic-messages.md#f8). @returns the text
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
