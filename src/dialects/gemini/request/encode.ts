import type { ChatRequest, ResponseFormat } from "../../../canon/chat.ts"
import type { EncodedRequest } from "../../../canon/dialect.ts"
import { isJsonObject, type JsonObject, listAt, objectAt } from "../../../canon/json.ts"
import { LossList } from "../../shared/losses.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeConversation } from "../messages/encode.ts"
import { type GeminiQuirks, traitsOf } from "../quirks.ts"
import type { Encoding } from "./encoding.ts"
import { setWebSearch } from "../search.ts"
import { encodeTools } from "../tools/encode.ts"
import { defined, setDefined } from "../../shared/fields.ts"
import { describedSchema } from "../../shared/schema.ts"
import { encodeThinking } from "../reasoning.ts"
import { encodeModalities } from "./speech-settings.ts"

/** Google's name for the default service tier. */
const DEFAULT_TIER = "standard"

/** Maps the callers' names of service tiers to Google's. */
const SERVICE_TIERS: ReadonlyMap<string, string> = new Map([
  ["default", DEFAULT_TIER],
  ["standard", DEFAULT_TIER],
  ["standard_only", DEFAULT_TIER],
  ["flex", "flex"],
  ["priority", "priority"],
])

/** Matches valid names of labels on Google Cloud. */
const LABEL_NAME = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u

/**
 * Encodes the body of `generateContent` and `streamGenerateContent`, which are the same because the model and the
 * stream mode are in the URL (docs/contribute/wire/gemini.md#f1).
 */
export function encodeRequest(request: ChatRequest, quirks: GeminiQuirks): EncodedRequest {
  const losses = new LossList(DIALECT)
  const encoding: Encoding = { quirks, losses, traits: traitsOf(request.model, quirks.models) }
  const { contents, instructions } = encodeConversation(request.messages, encoding)
  const generation = encodeGeneration(request, encoding)
  const wordsOfFormat = encodeFormat(request, generation, encoding)
  const system =
    wordsOfFormat === undefined ? instructions : [...instructions, { text: wordsOfFormat }]
  const body: JsonObject = { contents }
  if (system.length > 0) body.systemInstruction = { parts: [...system] }
  Object.assign(body, encodeTools(request, losses))
  setWebSearch(body, request, encoding)
  if (Object.keys(generation).length > 0) body.generationConfig = generation
  encodeService(body, request, encoding)
  reportUnknown(request, losses)
  addExtra(body, losses.fieldsOf(request.extra))
  return { body, losses: losses.losses }
}

/**
 * Encodes the response format.
 * @returns an instruction that replaces the format, if the model rejects the format together with functions.
 */
function encodeFormat(
  request: ChatRequest,
  generation: JsonObject,
  { traits, losses }: Encoding,
): string | undefined {
  const format = request.responseFormat
  if (format === undefined) return undefined
  const hasTools = request.tools !== undefined && request.tools.length > 0
  if (!hasTools || traits.jsonWithTools) {
    Object.assign(generation, encodeAnswerFormat(format))
    return undefined
  }
  if (format.type === "json-object") losses.add("json_object", "approximated")
  if (format.type === "json-schema") losses.add("json_schema", "approximated")
  return describeAnswerFormat(format)
}

function encodeService(body: JsonObject, request: ChatRequest, encoding: Encoding): void {
  const { quirks, losses } = encoding
  const { serviceTier, metadata } = request
  if (serviceTier !== undefined) {
    const tier = SERVICE_TIERS.get(serviceTier)
    if (tier !== undefined && quirks.serviceTier) body.serviceTier = tier
    else if (serviceTier !== "auto" && tier !== DEFAULT_TIER) losses.add("service_tier")
  }
  const labels = metadata === undefined || !quirks.labels ? {} : labelsOf(metadata)
  const kept = Object.keys(labels).length
  if (kept > 0) body.labels = labels
  if (kept < Object.keys(metadata ?? {}).length) {
    losses.add("metadata", kept === 0 ? "dropped" : "approximated")
  }
}

/** Returns the metadata whose names and values are valid labels. An invalid label would fail the entire request. */
function labelsOf(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).filter(
      ([name, value]) => LABEL_NAME.test(name) && LABEL_VALUE.test(value),
    ),
  )
}

/** Adds members of an extra to fields that also contain members from the canon. */
function addExtra(body: JsonObject, extra: JsonObject | undefined): void {
  if (extra === undefined) return
  const { tools, generationConfig, toolConfig, ...others } = extra
  Object.assign(body, others)
  if (Array.isArray(tools)) body.tools = [...listAt(body, "tools"), ...tools]
  if (isJsonObject(generationConfig)) {
    body.generationConfig = { ...objectAt(body, "generationConfig"), ...generationConfig }
  }
  if (isJsonObject(toolConfig)) {
    body.toolConfig = { ...objectAt(body, "toolConfig"), ...toolConfig }
  }
}

/** Reports fields that Gemini does not support. */
function reportUnknown(request: ChatRequest, losses: LossList): void {
  if (request.verbosity !== undefined) losses.add("verbosity")
  if (request.user !== undefined) losses.add("user")
  if (request.safetyIdentifier !== undefined) losses.add("safety_identifier")
  if (request.promptCacheKey !== undefined) losses.add("prompt_cache_key")
  if (request.previousResponse !== undefined) losses.add("previous_response_id")
}

/** Exclusive upper limit of seeds, because Google's seeds are signed 32-bit integers. */
const SEED_RANGE = 2 ** 31

/**
 * Encodes `generationConfig` (@google/genai), without the format of the response, which `encodeAnswerFormat` encodes.
 */
function encodeGeneration(request: ChatRequest, encoding: Encoding): JsonObject {
  const { losses } = encoding
  const config: JsonObject = {}
  setDefined(config, "temperature", request.temperature)
  setDefined(config, "topP", request.topP)
  setDefined(config, "topK", request.topK)
  if (request.choices > 1) config.candidateCount = request.choices
  setDefined(config, "maxOutputTokens", request.maxTokens)
  setDefined(config, "stopSequences", stopSequences(request.stop))
  setDefined(config, "presencePenalty", request.presencePenalty)
  setDefined(config, "frequencyPenalty", request.frequencyPenalty)
  setDefined(config, "seed", seed(request.seed, losses))
  if (request.logprobs === true) {
    config.responseLogprobs = true
    if (request.topLogprobs) config.logprobs = request.topLogprobs
  }
  setDefined(config, "thinkingConfig", encodeThinking(request, encoding))
  encodeModalities(config, request, losses)
  if (request.imageShape !== undefined) {
    const { aspectRatio, size } = request.imageShape
    config.imageConfig = defined({ aspectRatio, imageSize: size })
  }
  return config
}

/** Returns the format of the response as members of `generationConfig`. */
function encodeAnswerFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case "text":
      return {}
    case "json-object":
      return { responseMimeType: "application/json" }
    case "json-schema": {
      const config: JsonObject = { responseMimeType: "application/json" }
      setDefined(config, "responseJsonSchema", describedSchema(format))
      return config
    }
  }
}

/**
 * Returns the format of the response as an instruction, for models that reject the field together with functions;
 * undefined if no format is requested.
 */
function describeAnswerFormat(format: ResponseFormat): string | undefined {
  switch (format.type) {
    case "text":
      return undefined
    case "json-object":
      return "Unless you call a function, answer with one JSON object and nothing else."
    case "json-schema":
      return `Unless you call a function, answer with JSON that follows this schema, and with nothing else: ${JSON.stringify(describedSchema(format) ?? {})}`
  }
}

/** Returns the stop sequences; undefined if there are none. */
function stopSequences(stop: readonly string[] | undefined): string[] | undefined {
  return stop === undefined || stop.length === 0 ? undefined : [...stop]
}

/** Returns a seed in Google's range. The same larger seed is always mapped to the same smaller one. */
function seed(wanted: number | bigint | undefined, losses: LossList): number | undefined {
  if (wanted === undefined) return undefined
  if (wanted >= -SEED_RANGE && wanted < SEED_RANGE) return Number(wanted)
  losses.add("seed", "approximated")
  return typeof wanted === "bigint" ? Number(wanted % BigInt(SEED_RANGE)) : wanted % SEED_RANGE
}
