import type { JsonObject } from "../../../canon/json.ts"
import type { Part, ReasoningPart, ToolCallPart } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import { DIALECT } from "../identifiers.ts"
import { encodePart } from "./encode-parts.ts"
import type { Encoding } from "../request/encoding.ts"

/**
 * Encodes a model turn. A signature is placed on the part after it, because it arrived with that part, or on an empty
 * text at the end. Thoughts are not sent back (docs/contribute/wire/gemini.md#f5).
 */
export function encodeModelTurn(parts: readonly Part[], encoding: Encoding): JsonObject[] {
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
export function signFirstCall(turn: readonly JsonObject[], dummy: string): void {
  const call = turn.find((part) => part.functionCall !== undefined)
  if (call !== undefined) call.thoughtSignature ??= dummy
}

/**
 * Adds the placeholder signature to unsigned images of a model's turn, and to its first part
 * (docs/contribute/wire/gemini.md#f6). Image models reject their own images without a signature.
 */
export function signImages(turn: readonly JsonObject[], dummy: string): void {
  if (!turn.some(({ inlineData }) => inlineData !== undefined)) return
  for (const [index, part] of turn.entries()) {
    if (index === 0 || part.inlineData !== undefined) part.thoughtSignature ??= dummy
  }
}

function isOwnReasoning(part: Part): boolean {
  return part.type === "reasoning" && part.signature !== undefined && part.signedBy === DIALECT
}

/**
 * Returns the signature that Gemini can read. In a stream, it follows the answer. The text of the reasoning is part of
 * the signature, so its absence is no loss.
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
