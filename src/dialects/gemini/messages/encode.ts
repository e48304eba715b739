import { assertNever } from "../../../canon/assert-never.ts"
import type { JsonObject } from "../../../canon/json.ts"
import type { Message, Part, ReasoningPart, ToolCallPart } from "../../../canon/message.ts"
import { encodePart } from "./encode-parts.ts"
import type { Encoding } from "../request/encoding.ts"
import { encodeToolResults, type KnownCall } from "../tools/encode.ts"
import type { LossList } from "../../shared/losses.ts"
import { DIALECT } from "../identifiers.ts"

/** The conversation in Gemini's form, with separate instructions and alternating turns of two roles. */
export interface Conversation {
  readonly instructions: readonly JsonObject[]
  readonly contents: JsonObject[]
}

interface Content {
  readonly role: "user" | "model"
  readonly parts: JsonObject[]
}

/**
 * Encodes the conversation.
 * @returns contents that are never empty. A request with instructions only gets an empty question.
 */
export function encodeConversation(messages: readonly Message[], encoding: Encoding): Conversation {
  const writer = new ConversationWriter(encoding)
  for (const message of messages) writer.add(message)
  return writer.end()
}

class ConversationWriter {
  readonly #encoding: Encoding
  readonly #instructions: JsonObject[] = []
  readonly #contents: Content[] = []
  /** Calls by id. A client may repeat the ids of one turn in the next turn. */
  readonly #calls = new Map<string, KnownCall>()
  #callCount = 0
  /** Tool messages, collected until the turn's last tool message. */
  #responses: Message[] = []
  /** Index of the last user content, at which the current turn begins. */
  #turnStart = 0

  constructor(encoding: Encoding) {
    this.#encoding = encoding
  }

  add(message: Message): void {
    const { losses } = this.#encoding
    if (message.name !== undefined) losses.add("name")
    losses.fieldsOf(message.extra)
    switch (message.role) {
      case "system":
      case "developer":
        this.#addInstructions(message.parts)
        break
      case "user":
        this.#addResults()
        this.#addUserTurn(message.parts)
        break
      case "assistant":
        this.#addResults()
        this.#numberCalls(message.parts)
        this.#push("model", encodeModelTurn(message.parts, this.#encoding))
        break
      case "tool":
        this.#responses.push(message)
        break
      default:
        assertNever(message.role)
    }
  }

  end(): Conversation {
    const { quirks, traits } = this.#encoding
    this.#addResults()
    if (this.#contents.length === 0) this.#push("user", [{ text: "" }])
    if (traits.requiresSignatures) {
      for (const { role, parts } of this.#contents.slice(this.#turnStart)) {
        if (role === "model") signFirstCall(parts, quirks.foreignSignature)
      }
      for (const { role, parts } of this.#contents) {
        if (role === "model") signImages(parts, quirks.foreignSignature)
      }
    }
    const contents = this.#contents.map(({ role, parts }) => ({ role, parts }))
    return { instructions: this.#instructions, contents }
  }

  #addInstructions(parts: readonly Part[]): void {
    const { losses } = this.#encoding
    if (this.#contents.length > 0) losses.add("system.position", "approximated")
    for (const part of parts) {
      if (part.type !== "text") losses.add("system", "approximated")
      else {
        const encoded = encodePart(part, losses)
        if (encoded !== undefined) this.#instructions.push(encoded)
      }
    }
  }

  #addUserTurn(parts: readonly Part[]): void {
    const encoded = parts
      .map((part) => encodePart(part, this.#encoding.losses))
      .filter((part) => part !== undefined)
    const { length } = this.#contents
    this.#push("user", encoded.length === 0 ? [{ text: "" }] : encoded)
    // Text in the same content as tool results does not end the turn of the calls.
    if (this.#contents.length > length) this.#turnStart = length
  }

  #addResults(): void {
    this.#push("user", encodeToolResults(this.#responses, this.#calls, this.#encoding))
    this.#responses = []
  }

  #numberCalls(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.type !== "tool-call") continue
      this.#calls.set(part.id, { name: part.name, position: this.#callCount++ })
    }
  }

  /** Adds parts. Consecutive contents of one role are joined into one turn. */
  #push(role: Content["role"], parts: readonly JsonObject[]): void {
    if (parts.length === 0) return
    const last = this.#contents.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else this.#contents.push({ role, parts: [...parts] })
  }
}

/**
 * Encodes a model turn. A signature is placed on the part after it, because it arrived with that part, or on an empty
 * text at the end. Thoughts are not sent back (docs/contribute/wire/gemini.md#f5).
 */
function encodeModelTurn(parts: readonly Part[], encoding: Encoding): JsonObject[] {
  const turn: JsonObject[] = []
  let waiting: string | undefined
  const isOwn = parts.some(isOwnReasoning)
  const signEmpty = (): void => {
    if (waiting !== undefined) turn.push({ text: "", thoughtSignature: waiting })
    waiting = undefined
  }
  for (const part of parts) {
    if (part.type === "reasoning") {
      const signature = ownSignature(part, isOwn, encoding.losses)
      if (signature === undefined) continue
      signEmpty()
      waiting = signature
      continue
    }
    const encoded =
      part.type === "tool-call" ? encodeCall(part, encoding) : encodePart(part, encoding.losses)
    if (encoded === undefined) continue
    if (encoded.thoughtSignature !== undefined) signEmpty()
    turn.push(waiting === undefined ? encoded : { ...encoded, thoughtSignature: waiting })
    waiting = undefined
  }
  signEmpty()
  return turn
}

/**
 * Adds the placeholder signature to the first call of a step that Gemini has not signed, such as another model's call.
 * Without a signature, Gemini would reject the request (docs/contribute/wire/gemini.md#f6).
 */
function signFirstCall(turn: readonly JsonObject[], dummy: string): void {
  const call = turn.find((part) => part.functionCall !== undefined)
  if (call !== undefined) call.thoughtSignature ??= dummy
}

/**
 * Adds the placeholder signature to unsigned images of a model's turn, and to its first part
 * (docs/contribute/wire/gemini.md#f6). Image models reject their own images without a signature.
 */
function signImages(turn: readonly JsonObject[], dummy: string): void {
  if (!turn.some(({ inlineData }) => inlineData !== undefined)) return
  for (const [index, part] of turn.entries()) {
    if (index === 0 || part.inlineData !== undefined) part.thoughtSignature ??= dummy
  }
}

function isOwnReasoning(part: Part): boolean {
  return part.type === "reasoning" && part.signature !== undefined && part.signedBy === DIALECT
}

/**
 * Returns the signature that Gemini can read. In a stream, it follows the response. The text of the reasoning is part
 * of the signature, so its absence is no loss.
 * @param isOwn whether Gemini signed any reasoning of the turn.
 */
function ownSignature(part: ReasoningPart, isOwn: boolean, losses: LossList): string | undefined {
  losses.fieldsOf(part.extra)
  const { signature, text } = part
  if (isOwnReasoning(part)) return signature
  if (signature !== undefined) losses.add("reasoning.signature")
  if (text !== "" && !isOwn) losses.add("reasoning")
  return undefined
}

function encodeCall(part: ToolCallPart, { quirks, losses }: Encoding): JsonObject {
  if (part.cache !== undefined) losses.add("cache_control")
  const functionCall: JsonObject = { name: part.name, args: argumentsIn(part, losses) }
  if (quirks.functionCallIds) functionCall.id = part.id
  return { functionCall, ...losses.fieldsOf(part.extra) }
}

function argumentsIn({ arguments: text }: ToolCallPart, losses: LossList): JsonObject {
  return text.trim() === "" ? {} : losses.objectIn(text)
}
