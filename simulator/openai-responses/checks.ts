import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { checkParameters, type Rule } from "../openai-chat/checks.ts"
import { invalid, type VendorError } from "../openai-chat/errors.ts"
import { checkItems } from "./item-checks.ts"
import { missing, unsupported } from "./rejections.ts"

// All top-level fields that OpenAI accepts in a request for a response, according to the SDK's
// `ResponseCreateParamsBase`. Other fields are rejected. The minimum of `max_output_tokens` is 16.
const RULES: Record<string, Rule> = {
  access_programs: { kind: "any" },
  background: { kind: "boolean" },
  client_metadata: { kind: "object" },
  context_management: { kind: "array" },
  conversation: { kind: "any" },
  image: { kind: "object" },
  include: { kind: "array" },
  input: { kind: "any" },
  instructions: { kind: "string" },
  max_output_tokens: { kind: "integer", min: 16 },
  max_tool_calls: { kind: "integer", min: 1 },
  metadata: { kind: "object" },
  model: { kind: "string" },
  moderation: { kind: "any" },
  parallel_tool_calls: { kind: "boolean" },
  previous_response_id: { kind: "string" },
  prompt: { kind: "object" },
  prompt_cache_key: { kind: "string" },
  prompt_cache_options: { kind: "object" },
  prompt_cache_retention: { kind: "string" },
  reasoning: { kind: "object" },
  safety_identifier: { kind: "string" },
  service_tier: { kind: "string" },
  store: { kind: "boolean" },
  stream: { kind: "boolean" },
  stream_options: { kind: "object" },
  temperature: { kind: "decimal", min: 0, max: 2 },
  text: { kind: "object" },
  tool_choice: { kind: "any" },
  tools: { kind: "array" },
  top_logprobs: { kind: "integer", min: 0, max: 20 },
  top_p: { kind: "decimal", min: 0, max: 1 },
  truncation: { kind: "string" },
  user: { kind: "string" },
}

const INCLUDABLE = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
]
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
const SUMMARIES = ["auto", "concise", "detailed"]
const FORMATS = ["text", "json_object", "json_schema"]
const VERBOSITIES = ["low", "medium", "high"]
const TRUNCATIONS = ["auto", "disabled"]
const HOSTED_TOOL =
  /^(web_search|web_search_preview|file_search|code_interpreter|image_generation|mcp|computer|computer_use_preview|local_shell|shell|apply_patch|custom|tool_search|namespace)(_\d{4}_\d{2}_\d{2})?$/
const TOOL_NAME = /^[a-zA-Z0-9_-]+$/

/** Returns OpenAI's error for the request; undefined if the request is valid. */
export function checkRequest(body: JsonObject): VendorError | undefined {
  return (
    checkParameters(body, RULES) ??
    checkState(body) ??
    checkValues(body) ??
    checkText(objectOf(body.text)) ??
    checkTools(arrayOf(body.tools)) ??
    checkToolChoice(body) ??
    checkItems(body.input)
  )
}

function checkState(body: JsonObject): VendorError | undefined {
  if (body.background === true) {
    return invalid("Background mode is not supported here.", "background", "unsupported_value")
  }
  const sources = [body.input, body.previous_response_id, body.prompt, body.conversation]
  if (sources.some((source) => source !== undefined && source !== null)) return undefined
  const message =
    'One of "input" or "previous_response_id" or "prompt" or "conversation_id" must be provided.'
  return invalid(message, "input", "missing_required_parameter")
}

function checkValues(body: JsonObject): VendorError | undefined {
  for (const [index, name] of arrayOf(body.include).entries()) {
    const error = checkChoice(name, `include[${index}]`, INCLUDABLE)
    if (error !== undefined) return error
  }
  if (isObject(body.stream_options) && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    return invalid(message, "stream_options", null)
  }
  const reasoning = objectOf(body.reasoning)
  return (
    checkChoice(reasoning.effort, "reasoning.effort", EFFORTS) ??
    checkChoice(reasoning.summary, "reasoning.summary", SUMMARIES) ??
    checkChoice(body.truncation, "truncation", TRUNCATIONS)
  )
}

function checkChoice(
  value: Json | undefined,
  place: string,
  choices: readonly string[],
): VendorError | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === "string" && choices.includes(value)
    ? undefined
    : unsupported(String(value), place, choices)
}

function checkText(text: JsonObject): VendorError | undefined {
  const { format, verbosity } = text
  const wrong = checkChoice(verbosity, "text.verbosity", VERBOSITIES)
  if (wrong !== undefined || format === undefined || format === null) return wrong
  const { type, name, schema, ...rest } = objectOf(format)
  if (type === undefined) return missing("text.format.type")
  const unknown = checkChoice(type, "text.format.type", FORMATS)
  if (unknown !== undefined || type !== "json_schema") return unknown
  if (name === undefined) return missing("text.format.name")
  if (!isObject(schema)) return missing("text.format.schema")
  for (const field in rest) {
    if (field === "strict" || field === "description") continue
    return invalid(`Unknown parameter: 'text.format.${field}'.`, field, "unknown_parameter")
  }
  return undefined
}

function checkTools(tools: Json[]): VendorError | undefined {
  for (const [index, entry] of tools.entries()) {
    const place = `tools[${index}]`
    const tool = objectOf(entry)
    if (tool.type === undefined) return missing(`${place}.type`)
    const type = stringOf(tool.type)
    if (type !== "function") {
      if (HOSTED_TOOL.test(type)) continue
      return unsupported(type, `${place}.type`, ["function", "file_search", "web_search"])
    }
    if (typeof tool.name !== "string") return missing(`${place}.name`)
    if (tool.function !== undefined) {
      const message = `Unknown parameter: '${place}.function'.`
      return invalid(message, `${place}.function`, "unknown_parameter")
    }
    if (!TOOL_NAME.test(tool.name)) {
      const message = `Invalid '${place}.name': string does not match pattern. Expected a string that matches the pattern '${TOOL_NAME.source}'.`
      return invalid(message, `${place}.name`, "invalid_value")
    }
  }
  return undefined
}

function checkToolChoice(body: JsonObject): VendorError | undefined {
  const { tool_choice: choice } = body
  if (choice === undefined || choice === null) return undefined
  if (typeof choice === "string") {
    return checkChoice(choice, "tool_choice", ["none", "auto", "required"])
  }
  const { type, name } = objectOf(choice)
  if (type !== "function") return undefined
  if (typeof name !== "string") return missing("tool_choice.name")
  if (arrayOf(body.tools).some((tool) => objectOf(tool).name === name)) return undefined
  return invalid("Tool choice 'function' not found in 'tools' parameter.", "tool_choice", null)
}
