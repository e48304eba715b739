import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, missingParameter } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  listAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { TextPart, ToolResultPart } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeMediaPart, type MediaPart } from "../messages/decode-request-parts.ts"

const RESPONSE_FIELDS = new Set(["id", "name", "response", "parts"])

/**
 * Decodes the result of a function. If `output` or `error` is the only member, the result is not an object, by Google's
 * convention.
 * @param id the id of the call that the result answers.
 */
export function decodeFunctionResponse(
  answered: JsonObject,
  id: string,
  place: string,
): ToolResultPart {
  const name = `${place}.functionResponse`
  if (id === "") throw missingParameter(`${name}.name`)
  const { response } = answered
  if (isDefined(response) && !isJsonObject(response)) {
    throw invalidType(`${name}.response`, "an object", response)
  }
  const { text, failed } = textOf(isJsonObject(response) ? response : {})
  const shown = listAt(answered, "parts")
    .filter(isJsonObject)
    .map((part, index) => decodeMediaPart(part, `${name}.parts[${index}]`))
    .filter((part): part is MediaPart => part !== undefined)
  const words: TextPart = { type: "text", text }
  const result: Writable<ToolResultPart> = { type: "tool-result", id, content: [words, ...shown] }
  if (failed) result.failed = true
  const extra = unknownFields(answered, RESPONSE_FIELDS)
  if (extra !== undefined) result.extra = extraOf(DIALECT, { functionResponse: answered })
  return result
}

function textOf(response: JsonObject): { readonly text: string; readonly failed: boolean } {
  const { output, error } = response
  const isAlone = Object.keys(response).length === 1
  if (isAlone && typeof error === "string") return { text: error, failed: true }
  if (isAlone && typeof output === "string") return { text: output, failed: false }
  return { text: JSON.stringify(response), failed: false }
}
