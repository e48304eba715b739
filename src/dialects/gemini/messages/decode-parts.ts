import { extraOf } from "../../../canon/extra.ts"
import { type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import type { Part, ReasoningPart, ToolCallPart, UnknownPart } from "../../../canon/message.ts"
import { mintCallId } from "../../shared/identifiers.ts"
import { DIALECT } from "../identifiers.ts"
import { PartialArguments } from "../tools/partial-arguments.ts"

/**
 * Decodes a part of a response (docs/contribute/wire/gemini.md#f3). The signature of a part becomes a reasoning part
 * right before it. A part that exists only in this dialect keeps its signature.
 */
export function decodePart(part: JsonObject): Part[] {
  const main = decodeMain(part)
  if (main?.type === "unknown") return [main]
  const signature = textAt(part, "thoughtSignature")
  if (signature === undefined) return main === undefined ? [] : [main]
  if (main?.type === "reasoning") return [{ ...main, signature, signedBy: DIALECT }]
  const signed: ReasoningPart = { type: "reasoning", text: "", signature, signedBy: DIALECT }
  return main === undefined ? [signed] : [signed, main]
}

/**
 * Decodes a call. Gemini rarely sends ids, so most calls get a new id.
 * @param newId returns the id for a call without one.
 */
export function decodeCall(call: JsonObject, newId: () => string = mintCallId): ToolCallPart {
  const whole = { ...objectAt(call, "args") }
  new PartialArguments(whole).add(listAt(call, "partialArgs"))
  return {
    type: "tool-call",
    id: textAt(call, "id") ?? newId(),
    name: textAt(call, "name") ?? "",
    arguments: JSON.stringify(whole),
  }
}

function decodeMain(part: JsonObject): Part | undefined {
  const { text } = part
  if (typeof text === "string") {
    if (text === "") return undefined
    return part.thought === true ? { type: "reasoning", text } : { type: "text", text }
  }
  // A thought that is not text is not part of the response.
  if (part.thought === true) return unknownPart(part)
  const call = objectAt(part, "functionCall")
  if (call !== undefined) return decodeCall(call)
  return decodeMedia(part) ?? (isSignatureAlone(part) ? undefined : unknownPart(part))
}

function isSignatureAlone(part: JsonObject): boolean {
  return Object.keys(part).every((name) => name === "thoughtSignature")
}

function unknownPart(part: JsonObject): UnknownPart {
  return { type: "unknown", extra: extraOf(DIALECT, part) }
}

/** Decodes an image or audio that the model generated. */
function decodeMedia(part: JsonObject): Part | undefined {
  const inline = objectAt(part, "inlineData")
  const data = inline === undefined ? undefined : textAt(inline, "data")
  const mediaType = inline === undefined ? undefined : textAt(inline, "mimeType")
  if (data === undefined || mediaType === undefined) return undefined
  const source = { type: "base64", data, mediaType } as const
  if (mediaType.startsWith("image/")) return { type: "image", source }
  return mediaType.startsWith("audio/") ? { type: "audio", source } : undefined
}
