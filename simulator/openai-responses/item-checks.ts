import { readDataAddress } from "../images.ts"
import { entryOf, isObject, stringOf, type Json, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "../openai-chat/errors.ts"
import { missing, unknownParameter, unsupported, wrongType } from "./rejections.ts"

interface ItemRule {
  /** The prefix of the item's ids. */
  readonly prefix?: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

// A field that Codex adds to every item. OpenAI accepts it.
const ANYWHERE = "internal_chat_message_metadata_passthrough"

// The items that the simulator checks, according to the SDK's types. Other items are accepted.
const ITEMS: Record<string, ItemRule> = {
  message: { prefix: "msg", required: ["role", "content"], optional: ["id", "status", "phase"] },
  function_call: {
    prefix: "fc",
    required: ["call_id", "name", "arguments"],
    optional: ["id", "status", "caller", "namespace"],
  },
  function_call_output: {
    required: ["call_id", "output"],
    optional: ["id", "status", "caller", "name", "namespace"],
  },
  reasoning: {
    prefix: "rs",
    required: ["summary"],
    optional: ["id", "encrypted_content", "content", "status"],
  },
  item_reference: { required: ["id"], optional: [] },
}
const UNCHECKED =
  /^(\w+_call|\w+_call_output|additional_tools|compaction|compaction_trigger|configuration_update|mcp_\w+|program|program_output|tool_search_output)$/
const PARTS: Record<string, ItemRule> = {
  input_text: { required: ["text"], optional: ["prompt_cache_breakpoint"] },
  input_image: {
    required: [],
    optional: ["image_url", "file_id", "detail", "prompt_cache_breakpoint"],
  },
  input_file: {
    required: [],
    optional: ["file_id", "filename", "file_data", "file_url", "detail", "prompt_cache_breakpoint"],
  },
  output_text: { required: ["text"], optional: ["annotations", "logprobs"] },
  refusal: { required: ["refusal"], optional: [] },
}
const INPUT_PARTS = ["input_text", "input_image", "input_file"]
const OUTPUT_PARTS = ["output_text", "refusal"]
const ROLES = ["assistant", "system", "developer", "user"]
const MAX_CALL_ID_LENGTH = 64

/** Returns OpenAI's error for the input items. Each item is checked separately. */
export function checkItems(input: Json | undefined): VendorError | undefined {
  if (input === undefined || input === null || typeof input === "string") return undefined
  if (!Array.isArray(input)) {
    return wrongType("input", "one of an array of objects or string")
  }
  for (const [index, item] of input.entries()) {
    const error = checkItem(item, `input[${index}]`)
    if (error !== undefined) return error
  }
  return undefined
}

function checkItem(item: Json, place: string): VendorError | undefined {
  if (!isObject(item)) return wrongType(place, "an object")
  const type = typeof item.type === "string" ? item.type : "message"
  const rule = entryOf(ITEMS, type)
  if (rule === undefined) {
    return UNCHECKED.test(type) ? undefined : unsupported(type, place, Object.keys(ITEMS))
  }
  return (
    checkFields(item, rule, place) ?? checkId(item.id, rule, place) ?? checkKnown(item, type, place)
  )
}

function checkFields(item: JsonObject, rule: ItemRule, place: string): VendorError | undefined {
  for (const name of rule.required) {
    if (item[name] === undefined || item[name] === null) return missing(`${place}.${name}`)
  }
  for (const name in item) {
    if (
      name === "type" ||
      name === ANYWHERE ||
      rule.required.includes(name) ||
      rule.optional.includes(name)
    )
      continue
    return unknownParameter(`${place}.${name}`)
  }
  return undefined
}

function checkId(
  id: Json | undefined,
  { prefix }: ItemRule,
  place: string,
): VendorError | undefined {
  if (prefix === undefined || id === undefined || id === null) return undefined
  if (typeof id !== "string") return wrongType(`${place}.id`, "a string")
  if (id.startsWith(prefix)) return undefined
  const message = `Invalid '${place}.id': '${id}'. Expected an ID that begins with '${prefix}'.`
  return invalid(message, `${place}.id`, "invalid_value")
}

function checkKnown(item: JsonObject, type: string, place: string): VendorError | undefined {
  switch (type) {
    case "message":
      return checkMessage(item, place)
    case "function_call":
      return (
        checkCallId(item.call_id, place) ??
        checkString(item.name, `${place}.name`) ??
        checkString(item.arguments, `${place}.arguments`)
      )
    case "function_call_output":
      return (
        checkCallId(item.call_id, place) ??
        checkContent(item.output ?? null, INPUT_PARTS, `${place}.output`)
      )
    case "reasoning":
      return Array.isArray(item.summary) ? undefined : wrongType(`${place}.summary`, "an array")
    default:
      return undefined
  }
}

function checkString(value: Json | undefined, place: string): VendorError | undefined {
  return typeof value === "string" ? undefined : wrongType(place, "a string")
}

function checkCallId(id: Json | undefined, place: string): VendorError | undefined {
  if (typeof id !== "string") return wrongType(`${place}.call_id`, "a string")
  if (id === "") {
    const message = `Invalid '${place}.call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.`
    return invalid(message, `${place}.call_id`, "empty_string")
  }
  if (id.length <= MAX_CALL_ID_LENGTH) return undefined
  const message = `Invalid '${place}.call_id': string too long. Expected a string with maximum length ${MAX_CALL_ID_LENGTH}, but got a string with length ${id.length} instead.`
  return invalid(message, `${place}.call_id`, "string_above_max_length")
}

function checkMessage(item: JsonObject, place: string): VendorError | undefined {
  const role = stringOf(item.role)
  if (!ROLES.includes(role)) return unsupported(role, `${place}.role`, ROLES)
  const parts = role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS
  return checkContent(item.content ?? null, parts, `${place}.content`)
}

function checkContent(
  content: Json,
  allowed: readonly string[],
  place: string,
): VendorError | undefined {
  if (typeof content === "string") return undefined
  if (!Array.isArray(content)) {
    return wrongType(place, "one of an array of objects or string")
  }
  for (const [index, part] of content.entries()) {
    const error = checkPart(part, allowed, `${place}[${index}]`)
    if (error !== undefined) return error
  }
  return undefined
}

function checkPart(part: Json, allowed: readonly string[], place: string): VendorError | undefined {
  if (!isObject(part)) return wrongType(place, "an object")
  if (part.type === undefined) return missing(`${place}.type`)
  const type = stringOf(part.type)
  const rule = entryOf(PARTS, type)
  if (rule === undefined || !allowed.includes(type)) return unsupported(type, place, allowed)
  const error = checkFields(part, rule, place)
  if (error !== undefined) return error
  switch (type) {
    case "input_image":
      return checkImage(part, place)
    case "input_file":
      return checkFile(part, place)
    default:
      return checkString(part.text ?? part.refusal, `${place}.${rule.required[0]}`)
  }
}

function checkImage(part: JsonObject, place: string): VendorError | undefined {
  const { image_url: address, file_id: file } = part
  if (typeof file === "string") return undefined
  if (address === undefined || address === null) return missing(`${place}.image_url`)
  if (typeof address !== "string") return wrongType(`${place}.image_url`, "an image URL")
  if (!address.startsWith("data:") || readDataAddress(address) !== undefined) return undefined
  const message =
    "The image data you provided does not represent a valid image. Please check your input and " +
    "try again with one of the following image formats: ['image/jpeg', 'image/png', 'image/gif', " +
    "'image/webp']."
  return invalid(message, `${place}.image_url`, "invalid_image_format")
}

function checkFile(part: JsonObject, place: string): VendorError | undefined {
  const { file_data: data, file_id: file, file_url: address } = part
  if (typeof data === "string") {
    if (/^data:[\w.+/-]+;base64,/.test(data)) return undefined
    const message = `Invalid '${place}.file_data'. Expected a base64-encoded data URL with a MIME type (e.g. 'data:application/pdf;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without the 'data:' prefix.`
    return invalid(message, `${place}.file_data`, "invalid_value")
  }
  return typeof file === "string" || typeof address === "string"
    ? undefined
    : missing(`${place}.file_id`)
}
