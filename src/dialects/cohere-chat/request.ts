import type { ChatRequest, ReasoningOrder } from "../../canon/chat.ts"
import type { EncodedRequest } from "../../canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import { LossList } from "../../canon/losses.ts"
import { budgetOf, isReasoningOff, noteSummary } from "../../canon/reasoning.ts"
import { encodeFormat } from "./schema.ts"
import { encodeMessages } from "./messages/encode.ts"
import { encodeSampling } from "./encode-sampling.ts"
import { encodeTools } from "./tools.ts"
import { DIALECT } from "./identifiers.ts"

/** A request of `POST /v2/chat` (WIRE.md 7). Cohere refuses fields that it does not know with 422. */
export function encodeRequest(request: ChatRequest): EncodedRequest {
  const losses = new LossList(DIALECT)
  const tools = encodeTools(request, losses)
  const format = encodeFormat(request.responseFormat, tools.tools !== undefined, losses)
  const body: JsonObject = {
    model: request.model,
    messages: encodeMessages(request.messages, format.instruction, losses),
    stream: request.stream,
    ...encodeSampling(request, losses),
    ...tools,
  }
  if (format.field !== undefined) body.response_format = format.field
  const thinking = encodeThinking(request.reasoning, request.maxTokens)
  if (thinking !== undefined) body.thinking = thinking
  reportUnknown(request, losses)
  Object.assign(body, losses.fieldsOf(request.extra))
  return { body, losses: losses.losses }
}

/** Thinking is on by default where a model can think, so that nothing is said for nothing asked. */
function encodeThinking(
  order: ReasoningOrder | undefined,
  maxTokens: number | undefined,
): JsonValue | undefined {
  if (order === undefined) return undefined
  if (isReasoningOff(order)) return { type: "disabled" }
  const budget = budgetOf(order, maxTokens)
  if (budget !== undefined) return { type: "enabled", token_budget: budget }
  return order.effort === undefined && order.isAdaptive !== true ? undefined : { type: "enabled" }
}

/** What Cohere has no field for. */
function reportUnknown(request: ChatRequest, losses: LossList): void {
  if (request.reasoning !== undefined) noteSummary(request.reasoning, losses)
  if (request.logprobs === true) losses.add("logprobs")
  if (request.verbosity !== undefined) losses.add("verbosity")
  if (request.user !== undefined) losses.add("user")
  if (request.safetyIdentifier !== undefined) losses.add("safety_identifier")
  if (request.metadata !== undefined) losses.add("metadata")
  if (request.serviceTier !== undefined) losses.add("service_tier")
  if (request.promptCacheKey !== undefined) losses.add("prompt_cache_key")
  if (request.previousResponse !== undefined) losses.add("previous_response_id")
}
