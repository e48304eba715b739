import { arrayOf, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { invalid, ruleMessage as rule, type VendorError } from "./errors.ts"
import type { Call } from "./paths.ts"
import { checkParts } from "./part-checks.ts"
import { checkTurns } from "./turn-checks.ts"

const MIME_TYPES = [
  "text/plain",
  "application/json",
  "application/xml",
  "application/yaml",
  "text/x.enum",
]
const MAX_STOPS = 5

/** Returns Google's error for a parsed request; undefined if the request is valid. */
export function checkRequest(body: JsonObject, call: Call): VendorError | undefined {
  const message =
    checkContents(arrayOf(body.contents)) ??
    checkConfig(objectOf(body.generationConfig)) ??
    checkTools(body)
  if (message !== undefined) return invalid(message)
  if (body.cachedContent !== undefined) {
    const words = "CachedContent not found (or permission denied)"
    return { code: 403, status: "PERMISSION_DENIED", message: words }
  }
  return checkTurns(
    arrayOf(body.contents).map((content) => objectOf(content)),
    call,
  )
}

function checkContents(contents: readonly Json[]): string | undefined {
  if (contents.length === 0) return rule("contents", "contents is not specified")
  for (const [index, content] of contents.entries()) {
    const { role, parts } = objectOf(content)
    if (role !== undefined && role !== "user" && role !== "model") {
      return "Please use a valid role: user, model."
    }
    const place = `contents[${index}].parts`
    if (arrayOf(parts).length === 0) return rule(place, "contents.parts must not be empty.")
    const message = checkParts(arrayOf(parts), place)
    if (message !== undefined) return message
  }
  return undefined
}

function checkConfig(config: JsonObject): string | undefined {
  return (
    checkNumbers(config) ?? checkFormat(config) ?? checkThinking(objectOf(config.thinkingConfig))
  )
}

function checkNumbers(config: JsonObject): string | undefined {
  const place = "generation_config"
  const { maxOutputTokens: limit, stopSequences: stops } = config
  if (limit !== undefined && Number(limit) < 1) {
    return rule(`${place}.max_output_tokens`, "max_output_tokens must be positive.")
  }
  if (arrayOf(stops).length > MAX_STOPS) {
    return rule(`${place}.stop_sequences`, `at most ${MAX_STOPS} stop_sequences may be specified.`)
  }
  return (
    checkRange(config, "temperature", "temperature", [0, 2]) ??
    checkRange(config, "topP", "top_p", [0, 1]) ??
    checkLogprobs(config) ??
    checkRange(config, "logprobs", "logprobs", [0, 20]) ??
    checkRange(config, "candidateCount", "candidate_count", [1, 8])
  )
}

function checkLogprobs({ logprobs, responseLogprobs }: JsonObject): string | undefined {
  return logprobs === undefined || responseLogprobs === true
    ? undefined
    : rule("generation_config.logprobs", "logprobs is only valid if response_logprobs is true.")
}

function checkRange(
  config: JsonObject,
  name: string,
  shown: string,
  [min, max]: readonly [number, number],
): string | undefined {
  const value = config[name]
  if (value === undefined || (Number(value) >= min && Number(value) <= max)) return undefined
  return rule(`generation_config.${shown}`, `${shown} must be in the range [${min}, ${max}].`)
}

function checkFormat(config: JsonObject): string | undefined {
  const { responseMimeType: type, responseSchema, responseJsonSchema } = config
  if (type !== undefined && !MIME_TYPES.includes(stringOf(type))) {
    const shown = MIME_TYPES.map((known) => `\`${known}\``)
    const words = `allowed mimetypes are ${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}.`
    return rule("generation_config.response_mime_type", words)
  }
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    const words = "only one of response_schema and response_json_schema may be set."
    return rule("generation_config.response_schema", words)
  }
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined
  return hasSchema && type !== "application/json" && type !== "text/x.enum"
    ? rule(
        "generation_config.response_schema",
        "only allowed with response_mime_type application/json.",
      )
    : undefined
}

function checkThinking({ thinkingBudget, thinkingLevel }: JsonObject): string | undefined {
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    return "You can only set only one of thinking budget and thinking level."
  }
  return Number(thinkingBudget) < -1
    ? `The thinking budget ${String(thinkingBudget)} is invalid. Please choose a value between 0 and 32768.`
    : undefined
}

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

function checkTools(body: JsonObject): string | undefined {
  const names: string[] = []
  for (const [index, tool] of arrayOf(body.tools).entries()) {
    for (const [position, value] of arrayOf(objectOf(tool).functionDeclarations).entries()) {
      const place = `tools[${index}].function_declarations[${position}]`
      const declared = objectOf(value)
      const name = stringOf(declared.name)
      if (!FUNCTION_NAME.test(name)) {
        const words =
          "Invalid function name. Must start with a letter or an underscore. Must be alphameric " +
          "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum " +
          "length of 128."
        return rule(`${place}.name`, words)
      }
      if (names.includes(name)) return `Duplicate function declaration found: ${name}`
      if (declared.parameters !== undefined && declared.parametersJsonSchema !== undefined) {
        const words = "only one of parameters and parameters_json_schema may be set."
        return rule(`${place}.parameters`, words)
      }
      names.push(name)
    }
  }
  return checkToolConfig(objectOf(objectOf(body.toolConfig).functionCallingConfig), names)
}

function checkToolConfig(config: JsonObject, names: readonly string[]): string | undefined {
  const { mode } = config
  const place = "tool_config.function_calling_config"
  const allowed = arrayOf(config.allowedFunctionNames)
  if (mode === "ANY" && names.length === 0) {
    return rule(`${place}.mode`, "Function calling mode ANY needs function_declarations.")
  }
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED") {
    const words = "Function calling mode must be ANY to specify allowed_function_names."
    return rule(`${place}.allowed_function_names`, words)
  }
  const unknown = allowed.findIndex((name) => !names.includes(stringOf(name)))
  if (unknown === -1) return undefined
  const words = "allowed_function_names should be a subset of the declared functions."
  return rule(`${place}.allowed_function_names[${unknown}]`, words)
}
