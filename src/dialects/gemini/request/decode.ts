import type { ChatRequest } from "../../../canon/chat.ts"
import { extraOf } from "../../../canon/extra.ts"
import { missingParameter } from "../../../canon/invalid-request.ts"
import { isDefined, type JsonObject, objectAt } from "../../../canon/json.ts"
import { decodeParameters, parameterSchemas, requestFor } from "../../shared/parameters.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { DIALECT } from "../identifiers.ts"
import { decodeContents, decodeInstruction } from "../messages/decode.ts"
import { decodeGeneration, generationExtra } from "./decode-generation.ts"
import { nameInCamelCase } from "./field-names.ts"
import { generationParameters, type GenerationParameters, SERVICE } from "./parameters.ts"
import { inCanonicalForms } from "./canonical-forms.ts"
import { decodeWebSearch } from "../search.ts"
import { checkChoice, type DecodedChoice, decodeToolChoice, decodeTools } from "../tools/decode.ts"

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
