import { readBase64 } from "../images.ts"
import { objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { ruleMessage as rule } from "./errors.ts"
import { PART_DATA } from "./fields.ts"

/** Returns Google's error for the parts of one content; undefined if the parts are valid. */
export function checkParts(parts: readonly Json[], place: string): string | undefined {
  for (const [index, part] of parts.entries()) {
    const inside = `${place}[${index}]`
    const message = checkOneOf(objectOf(part), inside) ?? checkData(objectOf(part), inside)
    if (message !== undefined) return message
  }
  return undefined
}

/** Checks that a part has exactly one kind of data. */
function checkOneOf(part: JsonObject, place: string): string | undefined {
  const [first, second] = PART_DATA.filter((name) => part[name] !== undefined)
  if (first === undefined) {
    return rule(`${place}.data`, "required oneof field 'data' must have one initialized field")
  }
  return second === undefined
    ? undefined
    : `Invalid value at '${place}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`
}

function checkData(part: JsonObject, place: string): string | undefined {
  const { functionCall, functionResponse, inlineData } = part
  if (functionCall !== undefined && stringOf(objectOf(functionCall).name) === "") {
    return rule(`${place}.function_call.name`, "Name cannot be empty.")
  }
  if (functionResponse !== undefined && stringOf(objectOf(functionResponse).name) === "") {
    return rule(`${place}.function_response.name`, "Name cannot be empty.")
  }
  return inlineData === undefined ? undefined : checkBlob(objectOf(inlineData), place)
}

function checkBlob(blob: JsonObject, place: string): string | undefined {
  const mimeType = stringOf(blob.mimeType)
  if (mimeType === "") return rule(`${place}.inline_data.mime_type`, "mime_type must be set.")
  const isImage = readBase64(stringOf(blob.data)) !== undefined
  if (isImage || !mimeType.startsWith("image/")) return undefined
  return "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
}
