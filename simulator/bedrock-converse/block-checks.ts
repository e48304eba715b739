import { readBase64 } from "../images.ts"
import { entryOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { invalidForModel, type VendorError } from "./errors.ts"
import { SIGNER } from "./signer.ts"

const KINDS = [
  "text",
  "image",
  "document",
  "video",
  "audio",
  "toolUse",
  "toolResult",
  "guardContent",
  "cachePoint",
  "reasoningContent",
  "citationsContent",
  "searchResult",
]
const ROLE_OF: Record<string, string> = {
  toolUse: "assistant",
  reasoningContent: "assistant",
  toolResult: "user",
  image: "user",
  document: "user",
}
const RESULT_KINDS = new Set(["json", "text", "image", "document", "video", "searchResult"])
const TOOL_ID = /^[a-zA-Z0-9_-]{1,64}$/
const IMAGE_FORMATS = ["png", "jpeg", "gif", "webp"]
const DOCUMENT_FORMATS = ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]
// An underscore is accepted too, although AWS's documentation does not mention it.
const DOCUMENT_NAME = /^[\w \-()[\]]{1,200}$/

/** The error for a block: Bedrock's own error, or an error of the model behind it; undefined if the block is valid. */
type Rejection = VendorError | string | undefined

/** Returns the error for one block of a message. `place` is the dotted path of the block. */
export function checkBlock(block: Json, role: string, place: string): Rejection {
  const kinds = Object.keys(objectOf(block))
  const [kind = ""] = kinds
  if (kinds.length !== 1 || !KINDS.includes(kind)) {
    return `The ContentBlock object at ${place} must set one of the following keys: ${KINDS.join(", ")}.`
  }
  const owner = entryOf(ROLE_OF, kind)
  if (owner !== undefined && owner !== role) {
    return `The ${kind} block at ${place} can only be in a message of the role ${owner}.`
  }
  return checkKind(objectOf(block)[kind] ?? null, kind, place)
}

function checkKind(value: Json, kind: string, place: string): Rejection {
  switch (kind) {
    case "text":
      return typeof value === "string" && value.trim() !== ""
        ? undefined
        : `The text field in the ContentBlock object at ${place} is blank. Add text to the text field, and try again.`
    case "image":
      return checkImage(objectOf(value), `${place}.image`)
    case "document":
      return checkDocument(objectOf(value), `${place}.document`)
    case "toolUse":
      return checkCall(objectOf(value), `${place}.toolUse`)
    case "toolResult":
      return checkResult(objectOf(value), `${place}.toolResult`)
    case "reasoningContent":
      return checkReasoning(objectOf(value), place)
    case "cachePoint":
      return objectOf(value).type === "default"
        ? undefined
        : `The value at ${place}.cachePoint.type must be one of the following: default.`
    default:
      return undefined
  }
}

function checkImage(image: JsonObject, place: string): Rejection {
  const format = stringOf(image.format)
  if (!IMAGE_FORMATS.includes(format)) {
    return `The value at ${place}.format must be one of the following: ${IMAGE_FORMATS.join(", ")}.`
  }
  const { bytes, s3Location } = objectOf(image.source)
  if (s3Location !== undefined) return noStorage()
  if (typeof bytes !== "string") return `The field ${place}.source.bytes is missing.`
  const facts = readBase64(bytes)
  if (facts === undefined) return invalidForModel("Could not process image")
  return facts.kind === format
    ? undefined
    : invalidForModel(
        `${place}: The image was specified using the image/${format} media type, but the image appears to be a image/${facts.kind} image`,
      )
}

function noStorage(): string {
  return "This model doesn't support the s3Uri field. Remove s3Uri and try again."
}

function checkDocument(document: JsonObject, place: string): Rejection {
  const { format, name, source } = document
  if (format !== undefined && !DOCUMENT_FORMATS.includes(stringOf(format))) {
    return `The value at ${place}.format must be one of the following: ${DOCUMENT_FORMATS.join(", ")}.`
  }
  if (typeof name !== "string" || !DOCUMENT_NAME.test(name) || name.includes("  ")) {
    return (
      "The document file name can only contain alphanumeric characters, whitespace characters, " +
      "hyphens, parentheses, and square brackets. The name can't contain more than one " +
      "consecutive whitespace character. Check that the file name conforms to these " +
      "restrictions and retry your request."
    )
  }
  const { bytes, text, content, s3Location } = objectOf(source)
  if (s3Location !== undefined) return noStorage()
  if (typeof text === "string" || content !== undefined) return undefined
  return typeof bytes === "string" && bytes !== ""
    ? undefined
    : `The field ${place}.source.bytes is missing.`
}

function checkToolId(id: Json | undefined, place: string): Rejection {
  if (typeof id === "string" && TOOL_ID.test(id)) return undefined
  return `1 validation error detected: Value '${stringOf(id)}' at '${place}.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`
}

function checkCall(call: JsonObject, place: string): Rejection {
  const error = checkToolId(call.toolUseId, place)
  if (error !== undefined) return error
  if (stringOf(call.name) === "") return `The field ${place}.name is missing.`
  return isObject(call.input) ? undefined : notAnObject(`${place}.input`)
}

function notAnObject(place: string): string {
  return `The format of the value at ${place} is invalid. Provide a json object for the field and try again.`
}

function checkResult(result: JsonObject, place: string): Rejection {
  const { toolUseId, content, status } = result
  const error = checkToolId(toolUseId, place)
  if (error !== undefined) return error
  if (!Array.isArray(content)) return `The field ${place}.content is missing.`
  if (status !== undefined && status !== "success" && status !== "error") {
    return `The value at ${place}.status must be one of the following: success, error.`
  }
  if (status === "error" && content.length === 0) {
    return `The content field at ${place} cannot be empty when status value is error.`
  }
  for (const [index, part] of content.entries()) {
    const [kind = ""] = Object.keys(objectOf(part))
    const inner = `${place}.content.${index}`
    if (!RESULT_KINDS.has(kind)) {
      return `The ToolResultContentBlock object at ${inner} must set one of the following keys: ${[...RESULT_KINDS].join(", ")}.`
    }
    const wrong = checkResultPart(objectOf(part), kind, inner)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function checkResultPart(part: JsonObject, kind: string, place: string): Rejection {
  if (kind === "json") return isObject(part.json) ? undefined : notAnObject(`${place}.json`)
  return checkKind(part[kind] ?? null, kind, place)
}

/** Checks that reasoning is sent back unchanged, in either of its two forms. */
function checkReasoning(reasoning: JsonObject, place: string): Rejection {
  const { reasoningText, redactedContent } = reasoning
  if (typeof redactedContent === "string") {
    return SIGNER.opens(redactedContent)
      ? undefined
      : invalidForModel(`${place}: Invalid \`data\` in \`redacted_thinking\` block`)
  }
  const { text, signature } = objectOf(reasoningText)
  if (signature === undefined) {
    return invalidForModel(`${place}.thinking.signature: Field required`)
  }
  return SIGNER.verifies(stringOf(text), stringOf(signature))
    ? undefined
    : invalidForModel(`${place}: Invalid \`signature\` in \`thinking\` block`)
}
