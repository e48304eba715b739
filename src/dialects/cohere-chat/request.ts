import type { ChatRequest, ReasoningOptions, ResponseFormat } from "../../canon/chat.ts"
import type { EncodedRequest } from "../../canon/dialect.ts"
import type { Feature } from "../../canon/features.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { LossList } from "../shared/losses.ts"
import { loseModalities } from "../shared/modalities.ts"
import { budgetOf, isReasoningOff, noteSummary } from "../shared/reasoning.ts"
import { assertNever } from "../../canon/assert-never.ts"
import { describedSchema } from "../shared/schema.ts"
import { DIALECT } from "./identifiers.ts"
import { encodeMessages } from "./messages.ts"
import { encodeTools } from "./tools.ts"

interface Range {
  readonly min: number
  readonly max: number
}

/** The ranges in Cohere's reference. Cohere rejects other values with status 400. */
const TEMPERATURES: Range = { min: 0, max: 1 }
/**
 * The temperature that is sent if the caller did not set one, since Cohere's own default is 0.3
 * (docs.cohere.com/reference/chat).
 */
const OMITTED_TEMPERATURE = 1
const PROBABILITIES: Range = { min: 0.01, max: 0.99 }
const RANKS: Range = { min: 0, max: 500 }
const PENALTIES: Range = { min: 0, max: 1 }

/**
 * Encodes a request to `POST /v2/chat` (docs/contribute/wire/cohere-chat.md#f1). Cohere rejects unknown fields with
 * status 422.
 */
export function encodeRequest(request: ChatRequest): EncodedRequest {
  const losses = new LossList(DIALECT)
  const tools = encodeTools(request, losses)
  const format = encodeFormat(request.responseFormat, tools.tools !== undefined, losses)
  const body: JsonObject = {
    model: request.model,
    messages: encodeMessages(request.messages, format.instruction, losses),
    stream: request.stream,
    ...encodeSampling(request, losses),
    ...tools,
  }
  if (format.field !== undefined) body.response_format = format.field
  if (request.logprobs === true) {
    body.logprobs = true
    if (request.topLogprobs) losses.add("logprobs", "approximated")
  }
  const thinking = encodeThinking(request.reasoning, request.maxTokens)
  if (thinking !== undefined) body.thinking = thinking
  reportUnknown(request, losses)
  Object.assign(body, losses.fieldsOf(request.extra))
  return { body, losses: losses.losses }
}

/** Encodes thinking. Models that support thinking enable it by default, so the field is only sent on request. */
function encodeThinking(
  options: ReasoningOptions | undefined,
  maxTokens: number | undefined,
): JsonValue | undefined {
  if (options === undefined) return undefined
  if (isReasoningOff(options)) return { type: "disabled" }
  const budget = budgetOf(options, maxTokens)
  if (budget !== undefined) return { type: "enabled", token_budget: budget }
  return options.effort === undefined && options.isAdaptive !== true
    ? undefined
    : { type: "enabled" }
}

/** Reports fields that Cohere lacks. */
function reportUnknown(request: ChatRequest, losses: LossList): void {
  if (request.reasoning !== undefined) noteSummary(request.reasoning, losses)
  if (request.verbosity !== undefined) losses.add("verbosity")
  loseModalities(request, losses)
  if (request.user !== undefined) losses.add("user")
  if (request.safetyIdentifier !== undefined) losses.add("safety_identifier")
  if (request.metadata !== undefined) losses.add("metadata")
  if (request.serviceTier !== undefined) losses.add("service_tier")
  if (request.promptCacheKey !== undefined) losses.add("prompt_cache_key")
  if (request.previousResponse !== undefined) losses.add("previous_response_id")
}

/** Encodes the sampling fields, and the fields that limit the output. */
export function encodeSampling(request: ChatRequest, losses: LossList): JsonObject {
  const fields: JsonObject = {}
  if (request.maxTokens !== undefined) fields.max_tokens = request.maxTokens
  const { temperature = OMITTED_TEMPERATURE, topP, topK, seed } = request
  fields.temperature = within(temperature, TEMPERATURES, "temperature", losses)
  if (topP !== undefined) fields.p = within(topP, PROBABILITIES, "top_p", losses)
  if (topK !== undefined) fields.k = within(topK, RANKS, "top_k", losses)
  // Cohere accepts only non-negative seeds. A stable replacement is sufficient.
  if (seed !== undefined) fields.seed = seed < 0 ? -seed : seed
  const { stop } = request
  if (stop !== undefined && stop.length > 0) fields.stop_sequences = [...stop]
  encodePenalties(request, fields, losses)
  return fields
}

/** Encodes the penalties. Cohere accepts only one of the two penalties. A penalty of 0 has no effect. */
function encodePenalties(request: ChatRequest, fields: JsonObject, losses: LossList): void {
  const frequency = request.frequencyPenalty ?? 0
  const presence = request.presencePenalty ?? 0
  if (frequency !== 0) {
    fields.frequency_penalty = within(frequency, PENALTIES, "frequency_penalty", losses)
    if (presence !== 0) losses.add("presence_penalty")
  } else if (presence !== 0) {
    fields.presence_penalty = within(presence, PENALTIES, "presence_penalty", losses)
  }
}

function within(value: number, range: Range, feature: Feature, losses: LossList): number {
  const fitted = Math.min(range.max, Math.max(range.min, value))
  if (fitted !== value) losses.add(feature, "approximated")
  return fitted
}

interface EncodedFormat {
  /** The value of `response_format`. */
  readonly field?: JsonObject
  /** The instruction that replaces the field if Cohere does not accept it. */
  readonly instruction?: string
}

/**
 * Encodes the format of the response. Cohere's field is `{type: "json_object", json_schema?}`. Cohere does not accept
 * it together with tools (Cohere's reference for `/v2/chat`), so in that case, an instruction replaces the field.
 */
function encodeFormat(
  format: ResponseFormat | undefined,
  hasTools: boolean,
  losses: LossList,
): EncodedFormat {
  switch (format?.type) {
    case undefined:
    case "text":
      return {}
    case "json-object":
      if (!hasTools) return { field: { type: "json_object" } }
      losses.add("json_object", "approximated")
      return { instruction: instructionFor(undefined) }
    case "json-schema": {
      const schema = describedSchema(format)
      if (!hasTools) return { field: { type: "json_object", ...asSchemaField(schema) } }
      losses.add("json_schema", "approximated")
      return { instruction: instructionFor(schema) }
    }
    default:
      return assertNever(format)
  }
}

function asSchemaField(schema: JsonObject | undefined): JsonObject {
  return schema === undefined ? {} : { json_schema: schema }
}

function instructionFor(schema: JsonObject | undefined): string {
  const words =
    "When you answer without calling a tool, answer with one JSON object and nothing else."
  if (schema === undefined) return words
  return `${words} It follows this JSON schema: ${JSON.stringify(schema)}`
}
