import type { ChatRequest, ResponseFormat } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import { GatewayError } from "../../../canon/errors.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../../canon/json.ts"
import { decodeImageShape } from "../../shared/modalities.ts"
import { decodeParameters, parameterSchemas, requestFor } from "../../shared/parameters.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeMessages } from "../messages/decode.ts"
import { decodeReasoningOptions, reasoningExtra } from "../reasoning/settings.ts"
import { type ChatParameters, chatParameters, SCALARS } from "./parameters.ts"
import { decodeWebSearch } from "../search.ts"
import {
  decodeAllowedTools,
  decodeLegacyChoice,
  decodeLegacyFunctions,
  decodeToolChoice,
  decodeTools,
} from "../tools.ts"
import { invalidValue, missingParameter, unsupportedValue } from "../../../canon/invalid-request.ts"

const STREAM_OPTIONS = new Set(["include_usage"])

/**
 * Validates and decodes a chat completion request (docs/contribute/wire/openai-chat.md#f1, docs/use/endpoints.md#chat).
 * Fields that the canon lacks are kept as extra. Null counts as absent.
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeRequest(body: JsonObject): ChatRequest {
  if (body.model === undefined || body.model === null || body.model === "") {
    throw new GatewayError("missing_required_parameter", "you must provide a model parameter", {
      parameter: "model",
    })
  }
  const request = requestFor(body)
  const unknown = decodeParameters(body, PARAMETERS, request)
  const parameters = body as ChatParameters
  request.messages = decodeMessages(body.messages)
  const tools = decodeTools(body.tools)
  checkRules(parameters, tools !== undefined)
  request.streamUsage =
    parameters.stream_options?.include_usage === true || parameters.usage?.include === true
  const format = decodeFormat(parameters.response_format)
  if (format !== undefined) request.responseFormat = format
  setOutput(request, parameters)
  setTools(request, parameters, body.tool_choice, tools)
  setLegacyFunctions(request, body)
  const search = decodeWebSearch(body)
  if (search !== undefined) request.webSearch = search
  const shape = decodeImageShape(body.image_config, "aspect_ratio", "image_size")
  if (shape !== undefined) request.imageShape = shape
  const reasoning = decodeReasoningOptions(body)
  if (reasoning !== undefined) request.reasoning = reasoning
  const extra = requestExtra(unknown, body, request, tools)
  if (extra !== undefined) request.extra = extraOf(DIALECT, extra)
  return request
}

const PARAMETERS = parameterSchemas(
  () => chatParameters().shape,
  {
    own: ["messages", "tools", "tool_choice", "functions", "function_call", "reasoning"],
    limit: "max_tokens",
  },
  SCALARS,
  ["logit_bias", "store", "prediction", "web_search_options"],
)

/** Sets the modalities of the response and the voice of spoken responses. */
function setOutput(request: Writable<ChatRequest>, { modalities, audio }: ChatParameters): void {
  if (isDefined(modalities) && modalities.length > 0) request.modalities = modalities
  if (!isDefined(audio)) return
  const { voice, format, ...rest } = audio as JsonObject
  const own = isDefined(voice) && typeof voice !== "string" ? { ...rest, voice } : rest
  request.speech = {
    ...(typeof voice === "string" && { voice }),
    ...(typeof format === "string" && { format }),
    ...(Object.keys(own).length > 0 && { extra: extraOf(DIALECT, { audio: own }) }),
  }
}

function setTools(
  request: Writable<ChatRequest>,
  parameters: ChatParameters,
  chosen: JsonValue | undefined,
  tools: DecodedTools | undefined,
): void {
  if (tools !== undefined && tools.tools.length > 0) request.tools = tools.tools
  const choice = decodeToolChoice(chosen)
  if (choice !== undefined) request.toolChoice = choice
  const allowed = decodeAllowedTools(chosen)
  if (allowed !== undefined) request.allowedTools = allowed
  const { parallel_tool_calls: parallel } = parameters
  if (isDefined(parallel)) request.parallelToolCalls = parallel
}

/** Adds functions in the legacy form, which the model calls one at a time. */
function setLegacyFunctions(request: Writable<ChatRequest>, body: JsonObject): void {
  if (body.functions === undefined) return
  const functions = decodeLegacyFunctions(body.functions)
  if (functions === undefined || functions.length === 0) return
  request.tools = [...(request.tools ?? []), ...functions]
  const choice = request.toolChoice ?? decodeLegacyChoice(body.function_call)
  if (choice !== undefined) request.toolChoice = choice
  request.parallelToolCalls ??= false
}

/** The name for a schema without a name, since some vendors do not require one. */
const UNNAMED_SCHEMA = "answer"

/**
 * Decodes the response format.
 * @returns undefined for formats that only some vendors support.
 */
function decodeFormat(format: ChatParameters["response_format"]): ResponseFormat | undefined {
  switch (format?.type) {
    case "text":
      return { type: "text" }
    case "json_object":
      return { type: "json-object" }
    case "json_schema":
      return decodeJsonSchema(format.json_schema)
    default:
      return undefined
  }
}

function decodeJsonSchema(
  declared: NonNullable<ChatParameters["response_format"]>["json_schema"],
): ResponseFormat | undefined {
  if (!isDefined(declared)) return undefined
  const format: Writable<Extract<ResponseFormat, { type: "json-schema" }>> = {
    type: "json-schema",
    name: declared.name ?? UNNAMED_SCHEMA,
  }
  const { schema, description, strict } = declared
  if (isJsonObject(schema)) format.schema = schema
  if (isDefined(description)) format.description = description
  if (isDefined(strict)) format.strict = strict
  return format
}

/** Returns the fields that the canon lacks, in the structure of this dialect. */
function requestExtra(
  unknown: JsonObject | undefined,
  body: JsonObject,
  request: ChatRequest,
  tools: DecodedTools | undefined,
): JsonObject | undefined {
  let fields = unknown
  if (tools !== undefined && tools.others.length > 0)
    fields = { ...fields, tools: [...tools.others] }
  const { tool_choice: choice, response_format: format, stream_options: stream } = body
  if (isDefined(choice) && request.toolChoice === undefined) {
    fields = { ...fields, tool_choice: choice }
  }
  if (isDefined(format) && request.responseFormat === undefined) {
    fields = { ...fields, response_format: format }
  }
  const reasoning = reasoningExtra(body.reasoning)
  if (isDefined(reasoning)) fields = { ...fields, reasoning }
  const options = isJsonObject(stream) ? unknownFields(stream, STREAM_OPTIONS) : undefined
  return options === undefined ? fields : { ...fields, stream_options: options }
}

const FORMATS: readonly string[] = ["json_object", "json_schema", "text"]
/** Response formats of vendors that constrain the output by a grammar. */
const VENDOR_FORMATS: readonly string[] = ["grammar", "regex", "structural_tag", "lark_grammar"]

const MAX_METADATA = 16
const MAX_METADATA_KEY_LENGTH = 64

/**
 * Checks rules that a schema cannot express: parameters that require or exclude each other, and limits for an entire
 * object. The messages were recorded from OpenAI's API. OpenAI accepts `temperature` together with `top_p`.
 */
function checkRules(parameters: ChatParameters, hasTools: boolean): void {
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
