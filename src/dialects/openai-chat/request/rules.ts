import { GatewayError } from "../../../canon/errors.ts"
import { invalidValue, missingParameter, unsupportedValue } from "../../../canon/invalid-request.ts"
import { isDefined } from "../../../canon/json.ts"
import type { ChatParameters } from "./parameters.ts"

const FORMATS: readonly string[] = ["json_object", "json_schema", "text"]
/** Answer formats of vendors that constrain the output by a grammar. */
const VENDOR_FORMATS: readonly string[] = ["grammar", "regex", "structural_tag", "lark_grammar"]

const MAX_METADATA = 16
const MAX_METADATA_KEY_LENGTH = 64

/**
 * Checks rules that a schema cannot express: parameters that require or exclude each other, and limits for an entire
 * object. The messages were recorded from OpenAI's API. OpenAI accepts `temperature` together with `top_p`.
 */
export function checkRules(parameters: ChatParameters, hasTools: boolean): void {
  const { max_tokens: tokens, max_completion_tokens: completion } = parameters
  if (isDefined(tokens) && isDefined(completion)) {
    throw new GatewayError(
      "invalid_parameter_combination",
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      { parameter: "max_tokens" },
    )
  }
  if (isDefined(parameters.stream_options) && parameters.stream !== true) {
    throw invalidValue(
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    )
  }
  if (isDefined(parameters.parallel_tool_calls) && !hasTools) {
    throw invalidValue(
      "parallel_tool_calls",
      "Invalid value for 'parallel_tool_calls': " +
        "'parallel_tool_calls' is only allowed when 'tools' are specified.",
    )
  }
  if (isDefined(parameters.logit_bias)) checkLogitBias(parameters.logit_bias)
  if (isDefined(parameters.metadata)) checkMetadata(parameters.metadata)
  if (isDefined(parameters.response_format)) checkFormat(parameters.response_format)
}

function checkFormat(format: NonNullable<ChatParameters["response_format"]>): void {
  const { type, json_schema: declared } = format
  if (type === "json_schema" && !isDefined(declared)) {
    throw missingParameter("response_format.json_schema")
  }
  if (!FORMATS.includes(type) && !VENDOR_FORMATS.includes(type)) {
    throw unsupportedValue("response_format.type", type, FORMATS)
  }
}

function checkLogitBias(biases: Readonly<Record<string, number>>): void {
  for (const bias of Object.values(biases)) {
    if (bias >= -100 && bias <= 100) continue
    const shown = Number.isInteger(bias) ? `${bias}.0` : String(bias)
    throw invalidValue(
      "logit_bias",
      `Logit bias value ${shown} is invalid or outside of range [-100, 100]`,
    )
  }
}

function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  const keys = Object.keys(metadata)
  if (keys.length > MAX_METADATA) {
    throw invalidValue(
      "metadata",
      `Invalid 'metadata': too many properties. Expected an object with at most ${MAX_METADATA} ` +
        `properties, but got an object with ${keys.length} properties instead.`,
    )
  }
  const long = keys.find((key) => key.length > MAX_METADATA_KEY_LENGTH)
  if (long === undefined) return
  throw new GatewayError(
    "string_above_max_length",
    "Invalid 'metadata': property name too long. Expected a property name with maximum length " +
      `${MAX_METADATA_KEY_LENGTH}, but got a property name with length ${long.length} instead.`,
    { parameter: "metadata" },
  )
}
