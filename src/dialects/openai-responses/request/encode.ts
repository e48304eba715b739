import type { ChatRequest } from "../../../canon/chat.ts"
import type { EncodedRequest } from "../../../canon/dialect.ts"
import { isJsonObject, type JsonObject, listAt } from "../../../canon/json.ts"
import { setDefined } from "../../shared/fields.ts"
import { LossList } from "../../shared/losses.ts"
import { isImageTool, loseModalities } from "../../shared/modalities.ts"
import { effortOf } from "../../shared/reasoning.ts"
import { requiresSearch, foreignSearch } from "../../shared/search.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeInput } from "../messages/encode.ts"
import type { OpenAiResponsesQuirks } from "../quirks.ts"
import { INCLUDE_LOGPROBS, INCLUDE_REASONING, INCLUDE_SOURCES } from "./includes.ts"
import { requireWebSearch, setWebSearch } from "../search.ts"
import { dropAgentTools } from "../tools/agent-tools.ts"
import { encodeFormat, encodeToolChoice, encodeTools } from "../tools/encode.ts"

/**
 * Encodes a request for a response in the vendor's form (docs/contribute/wire/openai-responses.md#f1). The vendor
 * stores nothing unless the caller requests it or continues from stored state. Reasoning is instead returned encrypted,
 * so that it can be sent back.
 */
export function encodeRequest(request: ChatRequest, quirks: OpenAiResponsesQuirks): EncodedRequest {
  const losses = new LossList(DIALECT)
  const { instructions, input } = encodeInput(request, quirks, losses)
  const body: JsonObject = { model: request.model, input }
  setDefined(body, "instructions", instructions)
  setDefined(body, "previous_response_id", request.previousResponse)
  if (request.stream) body.stream = true
  if (request.previousResponse === undefined) body.store = false
  encodeSampling(body, request, quirks, losses)
  encodeFormats(body, request, losses)
  encodeService(body, request)
  setTools(body, request, quirks, losses)
  const search = foreignSearch(request, DIALECT)
  const include = includes(request, quirks)
  if (search !== undefined) {
    setWebSearch(body, search, losses)
    if (requiresSearch(request)) requireWebSearch(body)
    include.push(INCLUDE_SOURCES)
  }
  if (include.length > 0) body.include = include
  mergeExtra(body, losses.fieldsOf(request.extra))
  if (!listAt(body, "tools").some(isImageTool)) loseModalities(request, losses)
  const others = quirks.agentTools ? [] : dropAgentTools(body)
  return { body, losses: [...losses.losses, ...others] }
}

function encodeSampling(
  body: JsonObject,
  request: ChatRequest,
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): void {
  setDefined(body, "max_output_tokens", request.maxTokens)
  setDefined(body, "temperature", request.temperature)
  setDefined(body, "top_p", request.topP)
  const { presencePenalty, frequencyPenalty } = request
  if (quirks.penalties) {
    setDefined(body, "presence_penalty", presencePenalty)
    setDefined(body, "frequency_penalty", frequencyPenalty)
  } else {
    // A penalty of 0 has no effect.
    if (presencePenalty) losses.add("presence_penalty")
    if (frequencyPenalty) losses.add("frequency_penalty")
  }
  setDefined(body, "top_logprobs", request.topLogprobs)
  if (request.topK !== undefined) losses.add("top_k")
  if (request.seed !== undefined) losses.add("seed")
}

function encodeFormats(body: JsonObject, request: ChatRequest, losses: LossList): void {
  const { responseFormat, verbosity, reasoning, maxTokens } = request
  const text: JsonObject = {}
  if (responseFormat !== undefined) text.format = encodeFormat(responseFormat)
  setDefined(text, "verbosity", verbosity)
  if (Object.keys(text).length > 0) body.text = text
  if (reasoning === undefined) return
  if (reasoning.budget !== undefined) losses.add("reasoning_budget", "approximated")
  const options: JsonObject = {}
  setDefined(options, "effort", effortOf(reasoning, maxTokens))
  // OpenAI returns no summary by default, and has no value for `none`.
  if (reasoning.summary !== "none") setDefined(options, "summary", reasoning.summary)
  if (Object.keys(options).length > 0) body.reasoning = options
}

function encodeService(body: JsonObject, request: ChatRequest): void {
  setDefined(body, "metadata", request.metadata && { ...request.metadata })
  setDefined(body, "service_tier", request.serviceTier)
  setDefined(body, "user", request.user)
  setDefined(body, "safety_identifier", request.safetyIdentifier)
  setDefined(body, "prompt_cache_key", request.promptCacheKey)
}

function setTools(
  body: JsonObject,
  request: ChatRequest,
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): void {
  const { tools, toolChoice } = request
  if (tools !== undefined) body.tools = encodeTools(tools, quirks, losses)
  if (toolChoice !== undefined) {
    body.tool_choice = encodeToolChoice(toolChoice, quirks.customTools ? tools : [])
  }
  setDefined(body, "parallel_tool_calls", request.parallelToolCalls)
}

function includes(request: ChatRequest, quirks: OpenAiResponsesQuirks): string[] {
  const include: string[] = []
  const reasons = !quirks.unreasoningModels.test(request.model)
  if (quirks.encryptedReasoning && reasons) include.push(INCLUDE_REASONING)
  if (request.logprobs === true) include.push(INCLUDE_LOGPROBS)
  return include
}

/** Adds fields that the canon lacks. Lists and objects are merged into those that the body already has. */
function mergeExtra(body: JsonObject, extra: JsonObject | undefined): void {
  for (const [name, value] of Object.entries(extra ?? {})) {
    const own = body[name]
    if (Array.isArray(own) && Array.isArray(value)) body[name] = [...own, ...value]
    else if (isJsonObject(own) && isJsonObject(value)) body[name] = { ...own, ...value }
    else body[name] = value
  }
}
