import type { ChatRequest, ReasoningOptions, ResponseFormat } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidValue, missingParameter } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  listAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { Message } from "../../../canon/message.ts"
import type { Tool } from "../../../canon/tool.ts"
import { decodeParameters, parameterSchemas, requestFor } from "../../shared/parameters.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { DIALECT } from "../identifiers.ts"
import { checkCalls } from "../messages/check-calls.ts"
import { decodeInput } from "../messages/decode.ts"
import { INCLUDE_LOGPROBS, KNOWN_INCLUDES } from "./includes.ts"
import { type ResponseParameters, responseParameters, SCALARS } from "./parameters.ts"
import { decodeWebSearch } from "../search.ts"
import { isImageTool } from "../../shared/modalities.ts"
import {
  decodeAllowedTools,
  decodeToolChoice,
  decodeTools,
  decodeAddedTools,
} from "../tools/decode.ts"

const TEXT_FIELDS = new Set(["format", "verbosity"])
const REASONING_FIELDS = new Set(["effort", "summary", "generate_summary"])
/**
 * Options that can be dropped without a loss: `include_obfuscation` only adds padding that protects against
 * eavesdroppers.
 */
const STREAM_OPTIONS = new Set(["include_obfuscation"])

/**
 * Validates and decodes a request for a response (docs/contribute/wire/openai-responses.md#f1,
 * docs/use/endpoints.md#chat). The instructions become a first system message. Fields that the canon lacks are kept as
 * extra, except for values that request the default behavior. Null counts as absent.
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeRequest(body: JsonObject): ChatRequest {
  if (!isDefined(body.model) || body.model === "") throw missingParameter("model")
  const request = requestFor(body)
  const unknown = decodeParameters(body, PARAMETERS, request)
  const parameters = body as ResponseParameters
  if (parameters.background === true) {
    throw invalidValue(
      "background",
      "Invalid value for 'background': this gateway has no background mode. " +
        "Leave 'background' out, or set it to false.",
    )
  }
  const tools = decodeTools(body.tools)
  const added = decodeAddedTools(body, tools)
  const callable = added?.all ?? tools?.tools
  request.messages = decodeMessages(body, parameters, callable)
  request.streamUsage = true
  if (request.topLogprobs !== undefined || parameters.include?.includes(INCLUDE_LOGPROBS)) {
    request.logprobs = true
  }
  setFormat(request, parameters)
  const { previous_response_id: previous } = parameters
  if (isDefined(previous)) request.previousResponse = previous
  setTools(request, body, tools)
  if (listAt(body, "tools").some(isImageTool)) request.modalities = ["text", "image"]
  if (added !== undefined) request.addedTools = added
  setChoice(request, body, callable)
  const extra = requestExtra(unknown ?? {}, body, request, tools)
  if (Object.keys(extra).length > 0) request.extra = extraOf(DIALECT, extra)
  return request
}

const PARAMETERS = parameterSchemas(
  () => responseParameters().shape,
  { own: ["input", "tools", "tool_choice"], limit: "max_output_tokens" },
  SCALARS,
  ["max_tool_calls"],
)

function decodeMessages(
  body: JsonObject,
  parameters: ResponseParameters,
  tools: readonly Tool[] | undefined,
): Message[] {
  const { instructions } = parameters
  const continues =
    isDefined(parameters.previous_response_id) ||
    isDefined(body.conversation) ||
    isDefined(body.prompt)
  if (!isDefined(body.input) && !continues) throw missingParameter("input")
  const messages = isDefined(body.input) ? decodeInput(body.input, tools) : []
  if (!continues) checkCalls(messages)
  if (!instructions) return messages
  return [{ role: "system", parts: [{ type: "text", text: instructions }] }, ...messages]
}

function setFormat(request: Writable<ChatRequest>, parameters: ResponseParameters): void {
  const format = decodeFormat(parameters.text)
  if (format !== undefined) request.responseFormat = format
  const verbosity = parameters.text?.verbosity
  if (isDefined(verbosity)) request.verbosity = verbosity
  const { effort, summary, generate_summary: olderSummary } = parameters.reasoning ?? {}
  const options: Writable<ReasoningOptions> = {}
  if (isDefined(effort)) options.effort = effort
  const wanted = summary ?? olderSummary
  if (isDefined(wanted)) options.summary = wanted
  if (Object.keys(options).length > 0) request.reasoning = options
}

function decodeFormat(text: ResponseParameters["text"]): ResponseFormat | undefined {
  const format = text?.format
  switch (format?.type) {
    case undefined:
      return undefined
    case "text":
      return { type: "text" }
    case "json_object":
      return { type: "json-object" }
    case "json_schema": {
      const { name, schema, description, strict } = format
      if (!isDefined(name)) throw missingParameter("text.format.name")
      if (!isDefined(schema)) throw missingParameter("text.format.schema")
      const decoded: Writable<Extract<ResponseFormat, { type: "json-schema" }>> = {
        type: "json-schema",
        name,
        schema: schema as JsonObject,
      }
      if (isDefined(description)) decoded.description = description
      if (isDefined(strict)) decoded.strict = strict
      return decoded
    }
  }
}

function setTools(request: Writable<ChatRequest>, body: JsonObject, tools?: DecodedTools): void {
  if (tools !== undefined && (tools.tools.length > 0 || tools.others.length === 0)) {
    request.tools = tools.tools
  }
  const search = tools && decodeWebSearch(body, tools.others)
  if (search !== undefined) request.webSearch = search
  const { parallel_tool_calls: parallel } = body
  if (typeof parallel === "boolean") request.parallelToolCalls = parallel
}

function setChoice(
  request: Writable<ChatRequest>,
  body: JsonObject,
  callable: readonly Tool[] | undefined,
): void {
  const choice = decodeToolChoice(body.tool_choice, callable)
  if (choice !== undefined) request.toolChoice = choice
  const allowed = decodeAllowedTools(body.tool_choice, callable)
  if (allowed !== undefined) request.allowedTools = allowed
}

/** Returns the fields that the canon lacks, in the structure of this dialect. */
function requestExtra(
  extra: JsonObject,
  body: JsonObject,
  request: ChatRequest,
  tools: DecodedTools | undefined,
): JsonObject {
  const { store, truncation, include } = body as ResponseParameters
  if (store === true) extra.store = true
  if (truncation === "auto") extra.truncation = truncation
  const included = include?.filter((name) => !KNOWN_INCLUDES.has(name)) ?? []
  if (included.length > 0) extra.include = included
  if (tools !== undefined && tools.others.length > 0) extra.tools = [...tools.others]
  if (isDefined(body.tool_choice) && request.toolChoice === undefined) {
    extra.tool_choice = body.tool_choice
  }
  for (const [name, known] of NESTED) {
    const object = body[name]
    const rest = isJsonObject(object) ? unknownFields(object, known) : undefined
    if (rest !== undefined) extra[name] = rest
  }
  return extra
}

const NESTED = [
  ["text", TEXT_FIELDS],
  ["reasoning", REASONING_FIELDS],
  ["stream_options", STREAM_OPTIONS],
] as const
