import type { JsonObject } from "../../../canon/json.ts"
import type { Part, ReasoningPart, ToolCallPart } from "../../../canon/message.ts"
import type { LossList } from "../../shared/losses.ts"
import { DIALECT } from "../identifiers.ts"
import { encodePart } from "./encode-parts.ts"
import type { Encoding } from "../request/encoding.ts"

/**
 * Encodes a model's turn. A signature goes on the part right after it, which it came with, or on an empty text at the
 * end; thoughts are not sent back (docs/contribute/wire/gemini.md#f5).
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
 * Puts the dummy signature on the first call of a step without a signature of Gemini's, such as another model's call;
 * without one the request would be rejected (docs/contribute/wire/gemini.md#f6).
 */
export function signFirstCall(turn: readonly JsonObject[], dummy: string): void {
  const call = turn.find((part) => part.functionCall !== undefined)
  if (call !== undefined) call.thoughtSignature ??= dummy
}

/**
 * Puts the dummy signature on the images of a model's turn, and on its first part, if they are unsigned
 * (docs/contribute/wire/gemini.md#f6): image models reject their own images without one.
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
 * Returns the part of reasoning that Gemini can read. Its own text is in the signature, which in a stream follows the
 * answer.
 * @param isOwn whether any of the turn's reasoning is signed by Gemini.
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
