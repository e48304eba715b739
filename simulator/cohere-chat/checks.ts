import {
  arrayOf,
  entryOf,
  isObject,
  objectOf,
  stringOf,
  type Json,
  type JsonObject,
} from "../json.ts"
import { invalidRequest, invalidType, unknownField, type VendorError } from "./errors.ts"
import { checkMessages } from "./message-checks.ts"

type Kind = "string" | "boolean" | "integer" | "number" | "object" | "array"

interface Rule {
  readonly kind: Kind
  readonly range?: readonly [number, number]
}

// All top-level fields that Cohere accepts in a request (docs/contribute/wire/cohere-chat.md#f1, npm cohere-ai
// `V2ChatRequest`).
const RULES: Record<string, Rule> = {
  citation_options: { kind: "object" },
  documents: { kind: "array" },
  frequency_penalty: { kind: "number", range: [0, 1] },
  k: { kind: "integer", range: [0, 500] },
  logprobs: { kind: "boolean" },
  max_tokens: { kind: "integer" },
  messages: { kind: "array" },
  model: { kind: "string" },
  p: { kind: "number", range: [0.01, 0.99] },
  presence_penalty: { kind: "number", range: [0, 1] },
  priority: { kind: "integer" },
  response_format: { kind: "object" },
  safety_mode: { kind: "string" },
  seed: { kind: "integer", range: [0, 2 ** 64] },
  stop_sequences: { kind: "array" },
  stream: { kind: "boolean" },
  strict_tools: { kind: "boolean" },
  temperature: { kind: "number", range: [0, 1] },
  thinking: { kind: "object" },
  tool_choice: { kind: "string" },
  tools: { kind: "array" },
}

/** Returns Cohere's error for the request; undefined if the request is valid. */
export function checkRequest(body: JsonObject): VendorError | undefined {
  for (const name in body) {
    const value = body[name]
    const rule = entryOf(RULES, name)
    if (rule === undefined) return unknownField(name)
    if (value === null || value === undefined) continue
    const error = checkKind(name, value, rule.kind) ?? checkRange(name, value, rule)
    if (error !== undefined) return error
  }
  return (
    checkMessages(arrayOf(body.messages)) ??
    checkTools(body) ??
    checkFormat(body) ??
    checkSampling(body) ??
    checkThinking(objectOf(body.thinking))
  )
}

function checkKind(name: string, value: Json, kind: Kind): VendorError | undefined {
  const actual = kindOf(value)
  if (actual === kind || (kind === "number" && actual === "integer")) return undefined
  return invalidType(name, actual, kind)
}

function kindOf(value: Json): Kind {
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  if (typeof value === "string") return "string"
  return typeof value === "boolean" ? "boolean" : "object"
}

function checkRange(name: string, value: Json, { range }: Rule): VendorError | undefined {
  if (typeof value !== "number" || range === undefined) return undefined
  const [min, max] = range
  if (value >= min && value <= max) return undefined
  const shown = name === "temperature" ? "1.0" : max
  return invalidRequest(`${name} must be between ${min} and ${shown} inclusive.`)
}

function checkSampling(body: JsonObject): VendorError | undefined {
  if (typeof body.max_tokens === "number" && body.max_tokens <= 0) {
    return invalidRequest(
      "max_tokens can only be 0 if return_likelihoods is set to 'ALL' and prompt is longer than 1 token.",
    )
  }
  if (arrayOf(body.stop_sequences).length > 5) {
    return invalidRequest("stop_sequences can have at most 5 elements.")
  }
  return body.frequency_penalty && body.presence_penalty
    ? invalidRequest("cannot specify both frequency_penalty and presence_penalty.")
    : undefined
}

const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

function checkTools(body: JsonObject): VendorError | undefined {
  const { tool_choice: choice } = body
  const tools = arrayOf(body.tools)
  if (typeof choice === "string") {
    if (choice !== "REQUIRED" && choice !== "NONE") {
      return invalidRequest("tool_choice must be one of 'REQUIRED', or 'NONE'.")
    }
    if (tools.length === 0) return invalidRequest("tool_choice requires tools to be specified.")
  }
  for (const tool of tools) {
    const error = checkTool(objectOf(tool), body.strict_tools === true)
    if (error !== undefined) return error
  }
  return undefined
}

function checkTool(tool: JsonObject, isStrict: boolean): VendorError | undefined {
  const unknown =
    unknownIn(tool, ["type", "function"]) ??
    unknownIn(objectOf(tool.function), ["name", "description", "parameters"])
  if (unknown !== undefined) return unknownField(unknown)
  if (tool.type !== "function") return invalidRequest("tool must be of type function")
  const { name, parameters } = objectOf(tool.function)
  if (!TOOL_NAME.test(stringOf(name))) {
    return invalidRequest(
      `tool names can only contain certain characters (A-Za-z0-9_) and can't begin with a digit (provided name: '${stringOf(name)}').`,
    )
  }
  if (!isObject(parameters)) return invalidRequest("schema must be an object")
  return isStrict && arrayOf(parameters.required).length === 0
    ? invalidRequest("strict_tools needs at least one required parameter in each tool.")
    : undefined
}

function unknownIn(object: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((name) => !known.includes(name))
}

/** Checks the format: JSON cannot be combined with tools or documents (npm cohere-ai `ResponseFormatV2`). */
function checkFormat(body: JsonObject): VendorError | undefined {
  const { type, json_schema: schema } = objectOf(body.response_format)
  if (type === undefined || type === "text") return undefined
  if (type !== "json_object") {
    return invalidRequest("response_format.type must be one of 'text', or 'json_object'.")
  }
  if (schema !== undefined && !isObject(schema)) return invalidRequest("schema must be an object")
  if (isObject(schema) && schema.type !== "object") {
    // docs.cohere.com/docs/structured-outputs: the top level of a schema must be an object.
    return invalidRequest("invalid schema: the root type must be 'object'.")
  }
  if (arrayOf(body.documents).length > 0) {
    return invalidRequest("response_format is not supported with RAG.")
  }
  return arrayOf(body.tools).length > 0
    ? invalidRequest("response_format is not supported with tools.")
    : undefined
}

function checkThinking({
  type,
  token_budget: budget,
  ...rest
}: JsonObject): VendorError | undefined {
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return unknownField(unknown)
  if (type !== undefined && type !== "enabled" && type !== "disabled") {
    return invalidRequest("thinking.type must be one of 'enabled', or 'disabled'.")
  }
  if (budget === undefined || (Number.isInteger(budget) && Number(budget) > 0)) return undefined
  return invalidRequest("thinking.token_budget must be a positive integer.")
}
