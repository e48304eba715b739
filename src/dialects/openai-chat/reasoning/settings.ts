import type { ChatRequest, ReasoningOrder } from "../../../canon/chat.ts"
import type { Draft } from "../../../canon/draft.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { LossList } from "../../shared/losses.ts"
import { effortOf, isReasoningOff, noteSummary } from "../../shared/reasoning.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"

/**
 * How much a model is to think: a word in `reasoning_effort`, or OpenRouter's object
 * `reasoning: {effort, max_tokens, enabled, exclude}`.
 */

const ORDER_FIELDS = new Set(["effort", "max_tokens", "enabled", "exclude"])

/** @returns undefined when the caller ordered nothing. */
export function decodeReasoningOrder(body: JsonObject): ReasoningOrder | undefined {
  const { reasoning } = body
  const order: Draft<ReasoningOrder> = isJsonObject(reasoning) ? decodeObject(reasoning) : {}
  const effort = textAt(body, "reasoning_effort")
  if (effort !== undefined) order.effort = effort
  return Object.keys(order).length === 0 ? undefined : order
}

/** What of `reasoning` the canon has no name for: all of it where it is no object. */
export function reasoningOrderExtra(reasoning: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(reasoning) ? unknownFields(reasoning, ORDER_FIELDS) : reasoning
}

/** The order as members of a body. */
export function encodeReasoningOrder(
  request: ChatRequest,
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonObject {
  const order = request.reasoning
  if (order === undefined) return {}
  if (quirks.reasoningOrder === "object") return { reasoning: encodeObject(order) }
  if (order.budget !== undefined && !isReasoningOff(order)) {
    losses.add("reasoning_budget", "approximated")
  }
  noteSummary(order, losses)
  const effort = effortOf(order, request.maxTokens)
  return effort === undefined ? {} : { reasoning_effort: effort }
}

function decodeObject(reasoning: JsonObject): Draft<ReasoningOrder> {
  const order: Draft<ReasoningOrder> = {}
  const effort = textAt(reasoning, "effort")
  const { max_tokens: budget, enabled, exclude } = reasoning
  if (effort !== undefined) order.effort = effort
  if (typeof budget === "number" && budget >= 0) order.budget = Math.floor(budget)
  if (enabled === false) order.effort = "none"
  else if (enabled === true && effort === undefined && order.budget === undefined) {
    order.isAdaptive = true
  }
  if (exclude === true) order.summary = "none"
  return order
}

/** It takes the effort or the budget, never both. */
function encodeObject(order: ReasoningOrder): JsonObject {
  const reasoning: JsonObject = {}
  if (isReasoningOff(order)) reasoning.effort = "none"
  else if (order.budget !== undefined) reasoning.max_tokens = order.budget
  else if (order.effort !== undefined) reasoning.effort = order.effort
  else if (order.isAdaptive === true) reasoning.enabled = true
  if (order.summary === "none") reasoning.exclude = true
  return reasoning
}
