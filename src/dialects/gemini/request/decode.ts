import type { ChatRequest, ReasoningOptions, ResponseFormat } from "../../../canon/chat.ts"
import { extraOf } from "../../../canon/extra.ts"
import { missingParameter } from "../../../canon/invalid-request.ts"
import { isDefined, type JsonObject, objectAt, unknownFields } from "../../../canon/json.ts"
import { decodeParameters, parameterSchemas, requestFor } from "../../shared/parameters.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeContents, decodeInstruction } from "../messages/decode.ts"
import {
  generationParameters,
  type GenerationParameters,
  SERVICE,
  type GenerationConfig,
  SAMPLING,
} from "./parameters.ts"
import { inCanonicalForms, nameInCamelCase } from "./canonical-forms.ts"
import { decodeWebSearch } from "../search.ts"
import { checkChoice, type DecodedChoice, decodeToolChoice, decodeTools } from "../tools/decode.ts"
import type { Writable } from "../../../canon/writable.ts"
import { decodeImageShape } from "../../shared/modalities.ts"
import { setScalars } from "../../shared/scalars.ts"
import { jsonSchemaOf, withLowercaseTypes } from "../schema.ts"
import { decodeModalities, decodeSpeech } from "./speech-settings.ts"

/** Fields that the canon lacks but that a price depends on. */
const DECIDING_FIELDS = [
  "cachedContent",
  "generationConfig.candidateCount",
  "generationConfig.responseModalities",
  "generationConfig.speechConfig",
  "generationConfig.thinkingConfig.thinkingBudget",
]

const PARAMETERS = parameterSchemas(
  () => generationParameters().shape,
  {
    own: ["stream", "contents", "systemInstruction"],
    paths: DECIDING_FIELDS,
    limit: "generationConfig.maxOutputTokens",
  },
  SERVICE,
)

/** Parameters that are part of the URL in this dialect, and of the body in other dialects. */
export interface Addressed {
  readonly model: string
  readonly stream: boolean
}

/**
 * Adds the parameters of a request's URL to its body. All fields are in camel case and in their canonical
 * forms.
 * @param body modified in place.
 */
export function withAddress(body: JsonObject, { model, stream }: Addressed): JsonObject {
  return Object.assign(inCanonicalForms(nameInCamelCase(body)), { model, stream })
}

/**
 * Validates and decodes a request to generate content (ai.google.dev/api/generate-content), from the body that
 * `withAddress` returns. Fields that the canon lacks are kept as extra. Null counts as absent.
 * @throws GatewayError that describes the invalid field.
 */
export function decodeRequest(body: JsonObject): ChatRequest {
  if (!isDefined(body.model) || body.model === "") throw missingParameter("model")
  const request = requestFor(body)
  const unknown = decodeParameters(body, PARAMETERS, request)
  const parameters = body as GenerationParameters
  const messages = decodeContents(body.contents)
  const instruction = decodeInstruction(body.systemInstruction)
  if (instruction !== undefined) messages.unshift(instruction)
  request.messages = messages
  const config = parameters.generationConfig
  if (isDefined(config)) decodeGeneration(request, config)
  const tools = decodeTools(parameters)
  const choice = decodeToolChoice(parameters)
  checkChoice(choice, tools?.tools ?? [])
  if (tools !== undefined && tools.tools.length > 0) {
    request.tools = tools.tools
    if (choice.toolChoice !== undefined) request.toolChoice = choice.toolChoice
  }
  const search = tools && decodeWebSearch(body, tools.others)
  if (search !== undefined) request.webSearch = search
  const extra = requestExtra(unknown ?? {}, body, tools, choice)
  if (extra !== undefined) request.extra = extraOf(DIALECT, extra)
  return request
}

/** Returns the fields that the canon lacks, in the structure of this dialect. */
function requestExtra(
  fields: JsonObject,
  body: JsonObject,
  tools: DecodedTools<JsonObject> | undefined,
  { isMore }: DecodedChoice,
): JsonObject | undefined {
  if (tools !== undefined && tools.others.length > 0) fields.tools = [...tools.others]
  const generation = generationExtra(objectAt(body, "generationConfig") ?? {})
  if (generation !== undefined) fields.generationConfig = generation
  const { functionCallingConfig: calling, ...others } = objectAt(body, "toolConfig") ?? {}
  if (isMore) fields.toolConfig = { functionCallingConfig: calling, ...others }
  else if (Object.keys(others).length > 0) fields.toolConfig = others
  return Object.keys(fields).length === 0 ? undefined : fields
}

/**
 * Decodes a request to count the tokens of content: only contents, or an entire request (`countTokens` of the Gemini
 * API).
 */
export function decodeCountRequest(body: JsonObject): ChatRequest {
  const whole = objectAt(body, "generateContentRequest")
  if (whole === undefined) return decodeRequest(body)
  return decodeRequest({ ...inCanonicalForms(whole), model: body.model, stream: false })
}

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
function decodeGeneration(request: Writable<ChatRequest>, config: GenerationConfig): void {
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
function generationExtra(config: JsonObject) {
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
    // The response of type `text/x.enum` is one value of the schema's enum.
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
