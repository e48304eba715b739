import type { ChatRequest } from "../../../canon/chat.ts"
import type { EncodedRequest } from "../../../canon/dialect.ts"
import { isJsonObject, type JsonObject, listAt } from "../../../canon/json.ts"
import { setDefined } from "../../shared/fields.ts"
import { LossList } from "../../shared/losses.ts"
import { loseModalities } from "../../shared/modalities.ts"
import { ANSWER_TOOL, describedSchema } from "../../shared/schema.ts"
import { foreignSearch } from "../../shared/search.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeContent, encodeMessages } from "../messages/encode.ts"
import { type AnthropicQuirks, quirksOf } from "../quirks.ts"
import { encodeThinking } from "../reasoning.ts"
import { encodeServiceTier } from "./parameters.ts"
import { answersByTool, closedSchema, jsonInstruction } from "../schema.ts"
import { encodeWebSearch } from "../search.ts"
import { encodeTools } from "../tools.ts"

/** The lowest `top_p` that Anthropic accepts if the model thinks. */
const SMALLEST_TOP_P_THINKING = 0.95

/** Encodes a request for a message in the vendor's form (docs/contribute/wire/anthropic-messages.md#f2). */
export function encodeRequest(request: ChatRequest, all: AnthropicQuirks): EncodedRequest {
  const quirks = quirksOf(request.model, all)
  const losses = new LossList(DIALECT)
  const extra = losses.fieldsOf(request.extra) ?? {}
  const { system, messages } = encodeMessages(request.messages, losses)
  const body: JsonObject = {
    model: request.model,
    max_tokens: request.maxTokens ?? quirks.defaultMaxTokens,
    messages: [...messages],
  }
  const instructions = [...system, ...encodeJsonInstruction(request, quirks, losses)]
  if (instructions.length > 0) body.system = encodeContent(instructions)
  const found = foreignSearch(request, DIALECT)
  const search = found === undefined ? [] : [encodeWebSearch(found, losses)]
  const others = [...listAt(extra, "tools"), ...search]
  Object.assign(body, encodeTools(request, others, quirks, losses))
  const { thinking, effort } = encodeThinking(request, body, quirks, losses)
  setDefined(body, "thinking", thinking)
  encodeSampling(body, request, quirks, losses)
  encodeRest(body, request, losses)
  const output = { ...encodeFormat(request, quirks), ...(effort === undefined ? {} : { effort }) }
  mergeExtra(body, output, extra)
  if (request.stream) body.stream = true
  reportUnknown(request, losses)
  return {
    body,
    losses: losses.losses,
    ...(answersByTool(request, quirks) && { answerTool: ANSWER_TOOL }),
  }
}

function encodeJsonInstruction(
  request: ChatRequest,
  quirks: AnthropicQuirks,
  losses: LossList,
): JsonObject[] {
  const text = jsonInstruction(request, quirks)
  if (text === undefined) return []
  losses.add(
    request.responseFormat?.type === "json-object" ? "json_object" : "json_schema",
    "approximated",
  )
  return [{ type: "text", text }]
}

function encodeFormat({ responseFormat }: ChatRequest, quirks: AnthropicQuirks): JsonObject {
  if (responseFormat?.type !== "json-schema" || !quirks.structuredOutput) return {}
  const schema = closedSchema({ type: "object", ...describedSchema(responseFormat) })
  return { format: { type: "json_schema", schema } }
}

/** Encodes sampling parameters. A value that equals the default is left out, which loses nothing. */
function encodeSampling(
  body: JsonObject,
  { temperature, topP, topK }: ChatRequest,
  quirks: AnthropicQuirks,
  losses: LossList,
): void {
  const thinks = isJsonObject(body.thinking) && body.thinking.type !== "disabled"
  if (temperature !== undefined) {
    if (temperature !== 1 && (thinks || !quirks.sampling)) losses.add("temperature")
    else {
      body.temperature = Math.min(temperature, quirks.maxTemperature)
      if (body.temperature !== temperature) losses.add("temperature", "approximated")
    }
  }
  if (topP !== undefined) {
    const isAlone = body.temperature === undefined || quirks.temperatureWithTopP
    const fits = quirks.sampling && isAlone && (!thinks || topP >= SMALLEST_TOP_P_THINKING)
    if (fits) body.top_p = topP
    else if (topP !== 1) losses.add("top_p")
  }
  if (topK !== undefined) {
    if (quirks.sampling && !thinks) body.top_k = topK
    else losses.add("top_k")
  }
}

function encodeRest(body: JsonObject, request: ChatRequest, losses: LossList): void {
  const { stop, user, safetyIdentifier, serviceTier } = request
  if (stop !== undefined && stop.length > 0) body.stop_sequences = [...stop]
  const served = user ?? safetyIdentifier
  if (served !== undefined) body.metadata = { user_id: served }
  if (safetyIdentifier !== undefined && safetyIdentifier !== served) {
    losses.add("safety_identifier")
  }
  if (serviceTier !== undefined) body.service_tier = encodeServiceTier(serviceTier, losses)
}

/** Reports fields that this dialect lacks. Several choices are not reported, because the relay makes several calls. */
function reportUnknown(request: ChatRequest, losses: LossList): void {
  if (request.seed !== undefined) losses.add("seed")
  // A penalty of 0 has no effect.
  if (request.presencePenalty) losses.add("presence_penalty")
  if (request.frequencyPenalty) losses.add("frequency_penalty")
  if (request.logprobs === true || request.topLogprobs !== undefined) losses.add("logprobs")
  if (request.promptCacheKey !== undefined) losses.add("prompt_cache_key")
  if (request.verbosity !== undefined) losses.add("verbosity")
  loseModalities(request, losses)
  if (request.metadata !== undefined) losses.add("metadata")
  if (request.previousResponse !== undefined) losses.add("previous_response_id")
}

/** Adds the fields that the canon lacks. Some of them are merged into fields that the body already has. */
function mergeExtra(body: JsonObject, output: JsonObject, extra: JsonObject): void {
  const { tools: _, output_config: ownOutput, metadata, ...rest } = extra
  Object.assign(body, rest)
  const joined = { ...output, ...(isJsonObject(ownOutput) ? ownOutput : {}) }
  if (Object.keys(joined).length > 0) body.output_config = joined
  if (isJsonObject(metadata)) {
    body.metadata = { ...metadata, ...(isJsonObject(body.metadata) ? body.metadata : {}) }
  }
}
