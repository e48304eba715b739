import type { ChatRequest, ResponseFormat } from "../../../canon/chat.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { defined, setDefined } from "../../shared/fields.ts"
import type { LossList } from "../../shared/losses.ts"
import { describedSchema } from "../../shared/schema.ts"
import { encodeThinking } from "../reasoning/encode.ts"
import type { Encoding } from "./encoding.ts"
import { encodeModalities } from "./speech-settings.ts"

/** Exclusive upper limit of seeds, because Google's seeds are signed 32-bit integers. */
const SEED_RANGE = 2 ** 31

/** Encodes `generationConfig` (@google/genai), without the format of the answer, which `encodeAnswerFormat` encodes. */
export function encodeGeneration(request: ChatRequest, encoding: Encoding): JsonObject {
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

/** Returns the format of the answer as members of `generationConfig`. */
export function encodeAnswerFormat(format: ResponseFormat): JsonObject {
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
 * Returns the format of the answer as an instruction, for models that reject the field together with functions;
 * undefined if no format is requested.
 */
export function describeAnswerFormat(format: ResponseFormat): string | undefined {
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
