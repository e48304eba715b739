import { arrayOf, entryOf, isObject, type Json, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "./errors.ts"
import { checkMessages } from "./message-checks.ts"

type Kind = "string" | "boolean" | "integer" | "decimal" | "object" | "array" | "any"

/** The rule for a parameter's value. */
export interface Rule {
  readonly kind: Kind
  readonly min?: number
  readonly max?: number
}

// All top-level fields that OpenAI accepts in a chat request (docs/contribute/wire/openai-chat.md#f1). Other fields are
// rejected.
const RULES: Record<string, Rule> = {
  audio: { kind: "object" },
  frequency_penalty: { kind: "decimal", min: -2, max: 2 },
  function_call: { kind: "any" },
  functions: { kind: "array" },
  logit_bias: { kind: "object" },
  logprobs: { kind: "boolean" },
  max_completion_tokens: { kind: "integer", min: 1 },
  max_tokens: { kind: "integer", min: 1 },
  messages: { kind: "array" },
  metadata: { kind: "object" },
  modalities: { kind: "array" },
  model: { kind: "string" },
  moderation: { kind: "any" },
  n: { kind: "integer", min: 1, max: 128 },
  parallel_tool_calls: { kind: "boolean" },
  prediction: { kind: "object" },
  presence_penalty: { kind: "decimal", min: -2, max: 2 },
  prompt_cache_key: { kind: "string" },
  prompt_cache_options: { kind: "any" },
  prompt_cache_retention: { kind: "string" },
  reasoning_effort: { kind: "string" },
  response_format: { kind: "object" },
  safety_identifier: { kind: "string" },
  seed: { kind: "integer" },
  service_tier: { kind: "string" },
  stop: { kind: "any" },
  store: { kind: "boolean" },
  stream: { kind: "boolean" },
  stream_options: { kind: "object" },
  temperature: { kind: "decimal", min: 0, max: 2 },
  // OpenAI rejects this field, but most vendors with OpenAI's format accept it.
  top_k: { kind: "integer" },
  tool_choice: { kind: "any" },
  tools: { kind: "array" },
  top_logprobs: { kind: "integer", min: 0, max: 20 },
  top_p: { kind: "decimal", min: 0, max: 1 },
  user: { kind: "string" },
  verbosity: { kind: "string" },
  web_search_options: { kind: "object" },
}

/** Vendors that reject the same parameters as OpenAI. Undefined stands for requests without a simulated vendor. */
const MAKERS: readonly (string | undefined)[] = [undefined, "openai", "azure"]

/** Returns OpenAI's error for the request, worded as recorded; undefined if the request is valid. */
export function checkRequest(body: JsonObject, vendor?: string): VendorError | undefined {
  if (!MAKERS.includes(vendor)) return checkMessages(body.messages)
  return (
    checkParameters(body, RULES) ??
    checkCombinations(body) ??
    checkStop(body.stop) ??
    checkMessages(body.messages)
  )
}

/** Returns OpenAI's error for an unknown parameter, or for a value of the wrong kind or out of range. */
export function checkParameters(
  body: JsonObject,
  rules: Record<string, Rule>,
): VendorError | undefined {
  for (const name in body) {
    const value = body[name]
    const rule = entryOf(rules, name)
    if (rule === undefined)
      return invalid(`Unknown parameter: '${name}'.`, name, "unknown_parameter")
    if (value === null || value === undefined) continue
    const error = checkKind(name, value, rule) ?? checkRange(name, value, rule)
    if (error !== undefined) return error
  }
  return undefined
}

function checkKind(name: string, value: Json, rule: Rule): VendorError | undefined {
  const actual = kindOf(value)
  const { kind } = rule
  if (kind === "any" || kind === actual) return undefined
  if (kind === "decimal" && actual === "integer") return undefined
  const message = `Invalid type for '${name}': expected ${article(kind)}, but got ${article(actual)} instead.`
  return invalid(message, name, "invalid_type")
}

function kindOf(value: Json): Exclude<Kind, "any"> | "null" {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "decimal"
  if (typeof value === "string") return "string"
  return typeof value === "boolean" ? "boolean" : "object"
}

function article(kind: string): string {
  if (kind === "null") return kind
  return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function checkRange(name: string, value: Json, rule: Rule): VendorError | undefined {
  if (typeof value !== "number") return undefined
  const { kind, min, max } = rule
  if (min !== undefined && value < min) {
    const message = `Invalid '${name}': ${kind} below minimum value. Expected a value >= ${min}, but got ${value} instead.`
    return invalid(message, name, `${kind}_below_min_value`)
  }
  if (max !== undefined && value > max) {
    const message = `Invalid '${name}': ${kind} above maximum value. Expected a value <= ${max}, but got ${value} instead.`
    return invalid(message, name, `${kind}_above_max_value`)
  }
  return undefined
}

function checkCombinations(body: JsonObject): VendorError | undefined {
  if (isSet(body.max_tokens) && isSet(body.max_completion_tokens)) {
    return invalid(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      "max_tokens",
      "invalid_parameter_combination",
    )
  }
  if (isSet(body.stream_options) && body.stream !== true) {
    return onlyWhen("stream_options", "stream")
  }
  const includeUsage = isObject(body.stream_options) ? body.stream_options.include_usage : undefined
  if (isSet(includeUsage)) {
    const error = checkKind("stream_options.include_usage", includeUsage, { kind: "boolean" })
    if (error !== undefined) return error
  }
  if (isSet(body.top_logprobs) && body.logprobs !== true) {
    return onlyWhen("top_logprobs", "logprobs")
  }
  return arrayOf(body.tools).length === 0 ? checkWithoutTools(body) : undefined
}

function isSet(value: Json | undefined): value is Exclude<Json, null> {
  return value !== null && value !== undefined
}

function onlyWhen(name: string, other: string): VendorError {
  const message = `The '${name}' parameter is only allowed when '${other}' is enabled.`
  return invalid(message, name, null)
}

function checkWithoutTools(body: JsonObject): VendorError | undefined {
  for (const name of ["parallel_tool_calls", "tool_choice"]) {
    if (!isSet(body[name])) continue
    const message = `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`
    return invalid(message, name, null)
  }
  return undefined
}

function checkStop(stop: Json | undefined): VendorError | undefined {
  if (!Array.isArray(stop) || stop.length <= 4) return undefined
  const message = `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`
  return invalid(message, "stop", "array_above_max_length")
}
