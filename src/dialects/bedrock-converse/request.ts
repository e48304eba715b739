import type { ChatRequest } from "../../canon/chat.ts"
import type { EncodedRequest } from "../../canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { setDefined } from "../shared/fields.ts"
import { LossList } from "../shared/losses.ts"
import { loseModalities } from "../shared/modalities.ts"
import { DIALECT } from "./identifiers.ts"
import { encodeMessages } from "./messages/encode.ts"
import { type BedrockConverseQuirks, familyOf, type ModelFamily } from "./quirks.ts"
import { encodeReasoning, type EncodedReasoning } from "./reasoning.ts"
import { encodeOutputConfig, type JsonResponse, jsonResponseOf, jsonInstruction } from "./schema.ts"
import { encodeTools } from "./tools.ts"

/** Bedrock's name for each service tier. For `auto`, the field is left out. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ["default", "default"],
  ["flex", "flex"],
  ["priority", "priority"],
  ["reserved", "reserved"],
  ["standard_only", "default"],
])

const METADATA_TEXT = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/
const MAX_METADATA = 16

/**
 * Encodes the body of `converse` and `converse-stream` (docs/contribute/wire/bedrock-converse.md#f2), without the
 * model, which is in the URL.
 */
export function encodeRequest(request: ChatRequest, quirks: BedrockConverseQuirks): EncodedRequest {
  const losses = new LossList(DIALECT)
  const family = familyOf(request.model, quirks.families)
  const response = jsonResponseOf(request, family)
  reportFormat(request, response, losses)
  const { messages, system } = encodeMessages(request.messages, family, losses)
  const instruction = jsonInstruction(response)
  if (instruction !== undefined) system.push({ text: instruction })
  const tools = encodeTools(request, response, family, losses)
  const written = { messages, isForced: tools.isForced }
  const reasoning = encodeReasoning(request, written, family, losses)
  const sampling = encodeSampling(request, reasoning, family, losses)

  const body: JsonObject = { messages }
  if (system.length > 0) body.system = system
  setDefined(body, "inferenceConfig", sampling.inferenceConfig)
  setDefined(body, "toolConfig", tools.toolConfig)
  setDefined(body, "outputConfig", encodeOutputConfig(response))
  const additional = { ...reasoning?.fields, ...tools.additional, ...sampling.additional }
  if (Object.keys(additional).length > 0) body.additionalModelRequestFields = additional
  setDefined(body, "additionalModelResponseFieldPaths", stopPaths(request, family))
  setDefined(body, "requestMetadata", encodeMetadata(request.metadata, losses))
  setDefined(body, "serviceTier", encodeTier(request.serviceTier, losses))
  reportUnsupported(request, losses)
  Object.assign(body, losses.fieldsOf(request.extra))
  return {
    body,
    losses: losses.losses,
    ...(response?.way === "tool" && { answerTool: response.tool }),
  }
}

/** Returns the paths at which a response names its stop sequence. They differ between whole and streamed responses. */
function stopPaths(request: ChatRequest, family: ModelFamily): JsonValue | undefined {
  if (!family.reportsStop || !request.stop?.length) return undefined
  return [request.stream ? "/delta/stop_sequence" : "/stop_sequence"]
}

function encodeMetadata(
  metadata: ChatRequest["metadata"],
  losses: LossList,
): JsonObject | undefined {
  if (metadata === undefined) return undefined
  const given = Object.entries(metadata)
  const taken = given
    .filter(([name, value]) => name !== "" && METADATA_TEXT.test(name) && METADATA_TEXT.test(value))
    .slice(0, MAX_METADATA)
  if (taken.length < given.length) losses.add("metadata", "approximated")
  return taken.length === 0 ? undefined : Object.fromEntries(taken)
}

function encodeTier(tier: string | undefined, losses: LossList): JsonObject | undefined {
  if (tier === undefined || tier === "auto") return undefined
  const type = TIERS.get(tier)
  if (type !== undefined) return { type }
  losses.add("service_tier")
  return undefined
}

function reportFormat(
  { responseFormat: format }: ChatRequest,
  response: JsonResponse | undefined,
  losses: LossList,
): void {
  if (format === undefined || format.type === "text" || response?.way === "structured") return
  losses.add(format.type === "json-object" ? "json_object" : "json_schema", "approximated")
}

/** Reports fields that Converse lacks. */
function reportUnsupported(request: ChatRequest, losses: LossList): void {
  if (request.seed !== undefined) losses.add("seed")
  // A penalty of 0 has no effect.
  if (request.presencePenalty) losses.add("presence_penalty")
  if (request.frequencyPenalty) losses.add("frequency_penalty")
  if (request.logprobs === true) losses.add("logprobs")
  if (request.verbosity !== undefined) losses.add("verbosity")
  loseModalities(request, losses)
  if (request.user !== undefined) losses.add("user")
  if (request.safetyIdentifier !== undefined) losses.add("safety_identifier")
  if (request.promptCacheKey !== undefined) losses.add("prompt_cache_key")
  if (request.previousResponse !== undefined) losses.add("previous_response_id")
}

const HIGHEST_TEMPERATURE = 1
/** The usual default value of `top_p` and of the temperature. */
const USUAL = 1

/** `inferenceConfig`, and the sampling parameters that are specific to the model's maker. */
interface EncodedSampling {
  readonly inferenceConfig?: JsonObject
  /** Members of `additionalModelRequestFields`. */
  readonly additional?: JsonObject
}

/** Encodes limits and sampling parameters. Claude and Nova reject sampling parameters together with thinking. */
function encodeSampling(
  request: ChatRequest,
  reasoning: EncodedReasoning | undefined,
  family: ModelFamily,
  losses: LossList,
): EncodedSampling {
  const { maxTokens, stop } = request
  const config: JsonObject = {}
  setDefined(config, "maxTokens", maxTokens)
  const isFree = family.sampling !== "none" && reasoning?.rejectsSampling !== true
  if (isFree) setSampling(config, request, family, losses)
  else {
    // A default value is not sent.
    const { temperature = USUAL, topP = USUAL } = request
    const isUsual = temperature === USUAL && family.omittedTemperature === undefined
    if (request.temperature !== undefined && !isUsual) losses.add("temperature")
    if (topP !== USUAL) losses.add("top_p")
  }
  if (stop !== undefined && stop.length > 0) config.stopSequences = [...stop]
  const additional = encodeTopK(request.topK, isFree, family, losses)
  return {
    ...(Object.keys(config).length === 0 ? {} : { inferenceConfig: config }),
    ...(additional === undefined ? {} : { additional }),
  }
}

function setSampling(
  config: JsonObject,
  { temperature: wanted, topP }: ChatRequest,
  family: ModelFamily,
  losses: LossList,
): void {
  const temperature = wanted ?? family.omittedTemperature
  if (temperature !== undefined) {
    config.temperature = Math.min(temperature, HIGHEST_TEMPERATURE)
    if (temperature > HIGHEST_TEMPERATURE) losses.add("temperature", "approximated")
  }
  if (topP === undefined) return
  if (family.sampling !== "one" || temperature === undefined) config.topP = topP
  else if (topP !== USUAL) losses.add("top_p")
}

function encodeTopK(
  topK: number | undefined,
  isFree: boolean,
  family: ModelFamily,
  losses: LossList,
): JsonObject | undefined {
  if (topK === undefined) return undefined
  if (!isFree || family.topK === "none") {
    losses.add("top_k")
    return undefined
  }
  return family.topK === "claude" ? { top_k: topK } : { inferenceConfig: { topK } }
}
