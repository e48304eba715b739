import type { ChatRequest } from "../../../canon/chat.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { setDefined } from "../../shared/fields.ts"
import type { LossList } from "../../shared/losses.ts"
import type { ModelFamily } from "../quirks.ts"
import type { EncodedReasoning } from "../reasoning.ts"

const HIGHEST_TEMPERATURE = 1
/** The usual default value of `top_p` and of the temperature. */
const USUAL = 1

/** `inferenceConfig`, and the sampling parameters that are specific to the model's maker. */
export interface EncodedSampling {
  readonly inferenceConfig?: JsonObject
  /** Members of `additionalModelRequestFields`. */
  readonly additional?: JsonObject
}

/** Encodes limits and sampling parameters. Claude and Nova reject sampling parameters together with thinking. */
export function encodeSampling(
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
