import type { ChatRequest, ReasoningOptions, ResponseFormat } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidValue, missingParameter } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  objectAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import { decodeParameters, parameterSchemas, requestFor } from "../../shared/parameters.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { decodeCache, markLast } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeSystem } from "../messages/decode-system.ts"
import { decodeMessages } from "../messages/decode.ts"
import { type MessageParameters, messageParameters, SCALARS } from "./parameters.ts"
import { decodeWebSearch } from "../search.ts"
import { decodeToolChoice, decodeTools } from "../tools.ts"

/** A name for schemas, which other dialects require. This dialect has no such field. */
const SCHEMA_NAME = "answer"

const PARAMETERS = parameterSchemas(
  () => messageParameters().shape,
  { own: ["messages", "system", "tools", "tool_choice", "cache_control"], limit: "max_tokens" },
  SCALARS,
)

/**
 * Validates and decodes a request for a message (docs/contribute/wire/anthropic-messages.md#f2,
 * docs/use/endpoints.md#chat). Fields that the canon lacks are kept as extra. Null counts as absent.
 * @throws GatewayError that describes the invalid field.
 */
export function decodeRequest(body: JsonObject): ChatRequest {
  requireModel(body)
  if (!isDefined(body.max_tokens)) throw missingParameter("max_tokens")
  return decodeCountRequest(body)
}

/** Validates and decodes a request that counts the tokens of a prompt. It needs no output limit. */
export function decodeCountRequest(body: JsonObject): ChatRequest {
  requireModel(body)
  const request = requestFor(body)
  const unknown = decodeParameters(body, PARAMETERS, request)
  const parameters = body as MessageParameters
  checkBudget(parameters)
  const continues = textAt(objectAt(body, "thread") ?? {}, "previous_message_id") !== undefined
  const messages = decodeMessages(body.messages, continues)
  const cache = decodeCache(body.cache_control, () => "")
  if (cache !== undefined) markLast(messages, cache)
  const system = decodeSystem(body.system)
  if (system !== undefined) messages.unshift(system)
  request.messages = messages
  const format = decodeFormat(parameters)
  if (format !== undefined) request.responseFormat = format
  const options = decodeReasoning(parameters)
  if (Object.keys(options).length > 0) request.reasoning = options
  const tools = decodeTools(body.tools)
  if (tools !== undefined && (tools.tools.length > 0 || tools.others.length === 0)) {
    request.tools = tools.tools
  }
  Object.assign(request, decodeToolChoice(body.tool_choice))
  const search = tools && decodeWebSearch(body, tools.others)
  if (search !== undefined) request.webSearch = search
  if (isDefined(body.thread)) request.isThread = true
  const extra = requestExtra(unknown ?? {}, body, tools)
  if (extra !== undefined) request.extra = extraOf(DIALECT, extra)
  return request
}

function requireModel(body: JsonObject): void {
  if (!isDefined(body.model) || body.model === "") throw missingParameter("model")
}

/** Checks the thinking budget, and reports errors with the messages of Anthropic's API. */
function checkBudget({ thinking, max_tokens: maxTokens }: MessageParameters): void {
  if (thinking?.type !== "enabled") return
  const budget = thinking.budget_tokens
  if (!isDefined(budget)) throw missingParameter("thinking.budget_tokens")
  if (isDefined(maxTokens) && budget >= maxTokens) {
    throw invalidValue(
      "thinking.budget_tokens",
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    )
  }
}

/** Decodes the response format. `output_format` is the older name of `output_config.format`. */
function decodeFormat(parameters: MessageParameters): ResponseFormat | undefined {
  const format = parameters.output_config?.format ?? parameters.output_format
  if (format?.type !== "json_schema") return undefined
  const { schema } = format
  return isJsonObject(schema)
    ? { type: "json-schema", name: SCHEMA_NAME, schema }
    : { type: "json-schema", name: SCHEMA_NAME }
}

/**
 * Decodes the amount of thinking. An effort next to disabled thinking applies to the rest of the output, so it is kept
 * as extra.
 */
function decodeReasoning({ thinking, output_config: output }: MessageParameters): ReasoningOptions {
  if (thinking?.type === "disabled") return { effort: "none" }
  const options: Writable<ReasoningOptions> = {}
  if (isDefined(output?.effort)) options.effort = output.effort
  if (thinking?.type === "adaptive") options.isAdaptive = true
  if (thinking?.type === "enabled" && isDefined(thinking.budget_tokens)) {
    options.budget = thinking.budget_tokens
  }
  if (isDefined(thinking?.display)) {
    options.summary = thinking.display === "omitted" ? "none" : "auto"
  }
  return options
}

const THINKING_TYPES: readonly string[] = ["enabled", "disabled", "adaptive"]

/** Returns the fields that the canon lacks, in the structure of this dialect. */
function requestExtra(
  fields: JsonObject,
  body: JsonObject,
  tools: DecodedTools<JsonObject> | undefined,
): JsonObject | undefined {
  const parameters = body as MessageParameters
  if (tools !== undefined && tools.others.length > 0) fields.tools = [...tools.others]
  const metadata = unknownFields(objectAt(body, "metadata") ?? {}, new Set(["user_id"]))
  if (metadata !== undefined) fields.metadata = metadata
  const { thinking } = parameters
  if (isDefined(thinking) && !THINKING_TYPES.includes(thinking.type))
    fields.thinking = body.thinking
  const output = unknownFields(objectAt(body, "output_config") ?? {}, outputFields(parameters))
  if (output !== undefined) fields.output_config = output
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** Returns the members of `output_config` that the canon can represent. */
function outputFields({ thinking, output_config: output }: MessageParameters): Set<string> {
  const known = new Set<string>()
  if (thinking?.type !== "disabled") known.add("effort")
  if (output?.format?.type === "json_schema") known.add("format")
  return known
}
