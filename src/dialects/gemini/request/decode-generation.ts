import type { ChatRequest, ReasoningOptions, ResponseFormat } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import { isDefined, type JsonObject, unknownFields } from "../../../canon/json.ts"
import { decodeImageShape } from "../../shared/modalities.ts"
import { setScalars } from "../../shared/scalars.ts"
import { decodeModalities, decodeSpeech } from "./speech-settings.ts"
import { type GenerationConfig, SAMPLING } from "./parameters.ts"
import { jsonSchemaOf, withLowercaseTypes } from "../schema.ts"

/** Members of `generationConfig` that the canon can represent. */
const CONFIG_FIELDS = new Set([
  ...Object.keys(SAMPLING),
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "thinkingConfig",
  "speechConfig",
])
const FIELDS_AND_MODALITIES = new Set([...CONFIG_FIELDS, "responseModalities"])
const THINKING_FIELDS = new Set(["includeThoughts", "thinkingBudget", "thinkingLevel"])

/** A name for schemas, which other dialects require. This dialect has no such field. */
const SCHEMA_NAME = "answer"
const JSON_TYPE = "application/json"
const PLAIN_TYPES: ReadonlySet<string> = new Set(["", "text/plain"])
const DEFAULT_LEVEL = "THINKING_LEVEL_UNSPECIFIED"
/** The thinking budget that lets the model decide. */
const DYNAMIC_BUDGET = -1

/** Adds the settings of `generationConfig` to a request. */
export function decodeGeneration(request: Writable<ChatRequest>, config: GenerationConfig): void {
  setScalars(request, SAMPLING, config as JsonObject)
  const format = decodeFormat(config)
  if (format !== undefined) request.responseFormat = format
  const modalities = decodeModalities(config as JsonObject)
  if (modalities !== undefined) request.modalities = modalities
  const shape = decodeImageShape((config as JsonObject).imageConfig, "aspectRatio", "imageSize")
  if (shape !== undefined) request.imageShape = shape
  const speech = decodeSpeech(config as JsonObject)
  if (speech !== undefined) request.speech = speech
  const options = decodeReasoning(config)
  if (options !== undefined) request.reasoning = options
}

/** Returns the members of `generationConfig` that the canon lacks. */
export function generationExtra(config: JsonObject) {
  const parameters = config as GenerationConfig
  const isKnown = decodeModalities(config) !== undefined
  const extra = unknownFields(config, isKnown ? FIELDS_AND_MODALITIES : CONFIG_FIELDS)
  const thinking = unknownFields((parameters.thinkingConfig ?? {}) as JsonObject, THINKING_FIELDS)
  const type = parameters.responseMimeType ?? ""
  const isOther = type !== JSON_TYPE && !PLAIN_TYPES.has(type)
  if (thinking === undefined && !isOther) return extra
  return {
    ...extra,
    ...(thinking && { thinkingConfig: parameters.thinkingConfig as JsonObject }),
    // The answer of type `text/x.enum` is one value of the schema's enum.
    ...(isOther && {
      responseMimeType: type,
      ...(parameters.responseSchema && { responseSchema: parameters.responseSchema as JsonObject }),
    }),
  }
}

function decodeFormat(config: GenerationConfig): ResponseFormat | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  const type = responseMimeType ?? ""
  const isRequested = type === JSON_TYPE || (PLAIN_TYPES.has(type) && hasSchema(config))
  if (!isRequested) return undefined
  if (isDefined(responseJsonSchema)) {
    const schema = withLowercaseTypes(responseJsonSchema as JsonObject)
    return { type: "json-schema", name: SCHEMA_NAME, schema }
  }
  if (!isDefined(responseSchema)) return { type: "json-object" }
  const schema = jsonSchemaOf(responseSchema as JsonObject)
  return { type: "json-schema", name: SCHEMA_NAME, schema }
}

/** Whether the request has a schema. A schema without a media type means JSON. */
function hasSchema({ responseSchema, responseJsonSchema }: GenerationConfig): boolean {
  return isDefined(responseSchema) || isDefined(responseJsonSchema)
}

/** Decodes the options of thinking. Thoughts are shown only on request. */
function decodeReasoning({ thinkingConfig }: GenerationConfig): ReasoningOptions | undefined {
  if (!isDefined(thinkingConfig)) return undefined
  const { includeThoughts, thinkingBudget: budget, thinkingLevel: level } = thinkingConfig
  const options: Writable<ReasoningOptions> = {}
  if (isDefined(budget)) {
    if (budget === DYNAMIC_BUDGET) options.isAdaptive = true
    else options.budget = budget
  }
  if (isDefined(level) && level !== DEFAULT_LEVEL) options.effort = level.toLowerCase()
  const hasOptions = Object.keys(options).length > 0
  if (includeThoughts === true) options.summary = "auto"
  else if (hasOptions && options.budget !== 0) options.summary = "none"
  return Object.keys(options).length > 0 ? options : undefined
}
