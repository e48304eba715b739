import type { ChatRequest } from "../../canon/chat.ts"
import type { Feature } from "../../canon/features.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { LossList } from "../../canon/losses.ts"

interface Range {
  readonly least: number
  readonly most: number
}

/** The ranges of Cohere's reference; a value outside is refused with 400. */
const TEMPERATURES: Range = { least: 0, most: 1 }
/** Said where the caller says none, since Cohere's own default is 0.3 (docs.cohere.com/reference/chat). */
const OMITTED_TEMPERATURE = 1
const PROBABILITIES: Range = { least: 0.01, most: 0.99 }
const RANKS: Range = { least: 0, most: 500 }
const PENALTIES: Range = { least: 0, most: 1 }

/** The fields that say how the next token is chosen, and when no more are. */
export function encodeSampling(request: ChatRequest, losses: LossList): JsonObject {
  const fields: JsonObject = {}
  if (request.maxTokens !== undefined) fields.max_tokens = request.maxTokens
  const { temperature = OMITTED_TEMPERATURE, topP, topK, seed } = request
  fields.temperature = within(temperature, TEMPERATURES, "temperature", losses)
  if (topP !== undefined) fields.p = within(topP, PROBABILITIES, "top_p", losses)
  if (topK !== undefined) fields.k = within(topK, RANKS, "top_k", losses)
  // Only seeds from 0 are taken; which one it is does not matter, as long as it stays the same.
  if (seed !== undefined) fields.seed = Math.abs(seed)
  const { stop } = request
  if (stop !== undefined && stop.length > 0) fields.stop_sequences = [...stop]
  encodePenalties(request, fields, losses)
  return fields
}

/** Cohere takes only one of the two; a penalty of 0 is none. */
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
  const fitted = Math.min(range.most, Math.max(range.least, value))
  if (fitted !== value) losses.add(feature, "approximated")
  return fitted
}
