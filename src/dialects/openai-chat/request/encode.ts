import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest, ResponseFormat } from "../../../canon/chat.ts"
import type { EncodedRequest } from "../../../canon/dialect.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import { defined, setDefined } from "../../shared/fields.ts"
import { LossList } from "../../shared/losses.ts"
import { requiresCall } from "../../shared/tools.ts"
import { encodeCache } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeMessages } from "../messages/encode.ts"
import { fitBody, quirksFor } from "../quirks/fit.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"
import { encodeReasoningOptions } from "../reasoning/settings.ts"
import { noteGrammar } from "../../shared/text-tool.ts"

/** Encodes a chat completion request in the vendor's form (docs/contribute/wire/openai-chat.md#f1). */
export function encodeRequest(
  request: ChatRequest,
  vendorQuirks: OpenAiChatQuirks,
  rules: ModelRules = {},
): EncodedRequest {
  const quirks = quirksFor(vendorQuirks, rules)
  const losses = new LossList(DIALECT)
  const body: JsonObject = {
    model: request.model,
    messages: encodeMessages(request.messages, quirks, losses),
  }
  if (request.stream) body.stream = true
  if (request.choices > 1) body.n = request.choices
  encodeSampling(body, request, quirks, losses)
  Object.assign(body, encodeReasoningOptions(request, quirks, { losses, rules }))
  encodeService(body, request, losses)
  encodeOutput(body, request, losses)
  encodeImageShape(body, request, quirks, losses)
  encodeTools(body, request, quirks, losses)
  mergeExtra(body, losses.fieldsOf(request.extra))
  fitToolSettings(body, request.toolChoice, losses)
  fitBody(body, quirks, losses, rules)
  return { body, losses: losses.losses }
}

function encodeSampling(
  body: JsonObject,
  request: ChatRequest,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): void {
  setDefined(body, quirks.maxTokensField, request.maxTokens)
  setDefined(body, "temperature", request.temperature)
  setDefined(body, "top_p", request.topP)
  if (quirks.topK) setDefined(body, "top_k", request.topK)
  else if (request.topK !== undefined) losses.add("top_k")
  setDefined(body, "stop", request.stop?.length ? [...request.stop] : undefined)
  setDefined(body, "seed", request.seed)
  setDefined(body, "presence_penalty", request.presencePenalty)
  setDefined(body, "frequency_penalty", request.frequencyPenalty)
  setDefined(body, "logprobs", request.logprobs)
  setDefined(body, "top_logprobs", request.topLogprobs)
  const { responseFormat } = request
  if (responseFormat !== undefined) body.response_format = encodeFormat(responseFormat)
}

function encodeService(body: JsonObject, request: ChatRequest, losses: LossList): void {
  setDefined(body, "verbosity", request.verbosity)
  setDefined(body, "user", request.user)
  setDefined(body, "safety_identifier", request.safetyIdentifier)
  setDefined(body, "metadata", request.metadata && { ...request.metadata })
  setDefined(body, "service_tier", request.serviceTier)
  setDefined(body, "prompt_cache_key", request.promptCacheKey)
  if (request.previousResponse !== undefined) losses.add("previous_response_id")
}

/** The voice for a request that names no voice. */
const DEFAULT_VOICE = "alloy"

/** Encodes the options of the output. OpenAI requires a voice and a format for audio, and can stream only samples. */
function encodeOutput(
  body: JsonObject,
  { modalities, speech, stream }: ChatRequest,
  losses: LossList,
): void {
  const isSpoken = modalities?.includes("audio") === true
  if (modalities !== undefined) {
    body.modalities =
      isSpoken && !modalities.includes("text") ? ["text", ...modalities] : [...modalities]
  }
  if (speech === undefined && !isSpoken) return
  const own = losses.fieldsOf(speech?.extra)?.audio
  const audio: JsonObject = isJsonObject(own) ? { ...own } : {}
  audio.voice ??= speech?.voice ?? DEFAULT_VOICE
  audio.format ??= speech?.format ?? (stream ? "pcm16" : "wav")
  body.audio = audio
}

function encodeImageShape(
  body: JsonObject,
  { imageShape: shape, extra }: ChatRequest,
  { imageConfig }: OpenAiChatQuirks,
  losses: LossList,
): void {
  if (shape === undefined || extra?.dialect === DIALECT) return
  if (!imageConfig) losses.add("image_config")
  else body.image_config = defined({ aspect_ratio: shape.aspectRatio, image_size: shape.size })
}

function encodeTools(
  body: JsonObject,
  request: ChatRequest,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): void {
  // OpenAI rejects an empty list of tools.
  if (request.tools !== undefined && request.tools.length > 0) {
    const legacy = request.tools.filter(({ origin }) => origin?.form === "legacy")
    const tools = request.tools.filter(({ origin }) => origin?.form !== "legacy")
    if (tools.length > 0) body.tools = tools.map((tool) => encodeTool(tool, quirks, losses))
    if (legacy.length > 0) setLegacyFunctions(body, legacy, { request, quirks, losses })
  }
  const { toolChoice } = request
  if (toolChoice !== undefined && body.functions === undefined) {
    body.tool_choice = encodeToolChoice(toolChoice, quirks.customTools ? request.tools : undefined)
  }
  setDefined(body, "parallel_tool_calls", request.parallelToolCalls)
}

interface EncodeContext {
  readonly request: ChatRequest
  readonly quirks: OpenAiChatQuirks
  readonly losses: LossList
}

/**
 * Sends functions in the legacy form if the caller declared them in this form, so that their calls also have this form.
 */
function setLegacyFunctions(
  body: JsonObject,
  legacy: readonly Tool[],
  context: EncodeContext,
): void {
  const { request, quirks, losses } = context
  body.functions = legacy.map((tool) => encodeTool(tool, quirks, losses).function ?? {})
  const { toolChoice: choice } = request
  if (choice?.type === "tool") body.function_call = { name: choice.name }
  else if (choice !== undefined) body.function_call = choice.type
}

/**
 * Removes settings about calls if the request has no tools, because OpenAI rejects them
 * (docs/contribute/wire/openai-chat.md#f2).
 */
function fitToolSettings(body: JsonObject, choice: ToolChoice | undefined, losses: LossList): void {
  if (body.tools !== undefined) return
  if (body.functions !== undefined) {
    delete body.parallel_tool_calls
    return
  }
  delete body.tool_choice
  delete body.parallel_tool_calls
  if (requiresCall(choice)) losses.add("tool_choice")
}

function encodeTool(tool: Tool, quirks: OpenAiChatQuirks, losses: LossList): JsonObject {
  if (tool.origin?.form === "text" && quirks.customTools) {
    return encodeCustomTool(tool, quirks, losses)
  }
  noteGrammar(tool, losses)
  const declared: JsonObject = { name: tool.name }
  setDefined(declared, "description", tool.description)
  setDefined(declared, "parameters", tool.parameters)
  setDefined(declared, "strict", tool.strict)
  const extra = losses.fieldsOf(tool.extra)
  const inside = extra?.function
  return {
    type: "function",
    ...encodeCache(tool.cache, quirks, losses),
    ...extra,
    function: isJsonObject(inside) ? { ...declared, ...inside } : declared,
  }
}

/** Encodes a custom tool. This dialect nests the grammar one level deeper than the canon. */
function encodeCustomTool(tool: Tool, quirks: OpenAiChatQuirks, losses: LossList): JsonObject {
  const { description, format } = tool.origin ?? {}
  const custom: JsonObject = { name: tool.name }
  setDefined(custom, "description", description)
  if (format?.type === "grammar") {
    const { type, ...grammar } = format
    custom.format = { type, grammar }
  } else setDefined(custom, "format", format)
  const extra = losses.fieldsOf(tool.extra)
  const inside = extra?.custom
  return {
    type: "custom",
    ...encodeCache(tool.cache, quirks, losses),
    ...extra,
    custom: isJsonObject(inside) ? { ...custom, ...inside } : custom,
  }
}

/**
 * Encodes the tool choice.
 * @param tools the tools of the request, which may include tools that are not functions.
 */
function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[] | undefined): JsonValue {
  if (choice.type !== "tool") return choice.type
  const { name } = choice
  const isText = tools?.find((tool) => tool.name === name)?.origin?.form === "text"
  return isText ? { type: "custom", custom: { name } } : { type: "function", function: { name } }
}

function encodeFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" }
    case "json-object":
      return { type: "json_object" }
    case "json-schema": {
      const declared: JsonObject = { name: format.name }
      setDefined(declared, "description", format.description)
      setDefined(declared, "schema", format.schema)
      setDefined(declared, "strict", format.strict)
      return { type: "json_schema", json_schema: declared }
    }
  }
}

/** Adds fields that the canon lacks. Three of them are merged into fields that the body already has. */
function mergeExtra(body: JsonObject, extra: JsonObject | undefined): void {
  if (extra === undefined) return
  const { tools, stream_options: options, reasoning, ...rest } = extra
  Object.assign(body, rest)
  if (reasoning !== undefined) {
    const own = isJsonObject(body.reasoning) ? body.reasoning : {}
    body.reasoning = isJsonObject(reasoning) ? { ...own, ...reasoning } : reasoning
  }
  if (Array.isArray(tools)) {
    body.tools = Array.isArray(body.tools) ? [...body.tools, ...tools] : tools
  }
  if (isJsonObject(options)) {
    const own = isJsonObject(body.stream_options) ? body.stream_options : {}
    body.stream_options = { ...own, ...options }
  }
}
