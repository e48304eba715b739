import type { ChatRequest, ReasoningOptions } from "../../canon/chat.ts"
import type { Feature } from "../../canon/features.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { LossList } from "../shared/losses.ts"
import { budgetOf, effortOf, isReasoningOff } from "../shared/reasoning.ts"
import { mayThink } from "./messages/encode.ts"
import type { AnthropicQuirks } from "./quirks.ts"
import { SMALLEST_BUDGET } from "./request/parameters.ts"
import { isForced } from "./tools.ts"

/** Maximum share of the output for a thinking budget that would otherwise fill the output. */
const LARGEST_SHARE = 0.8

/** Efforts that some models reject, with the nearest accepted effort. */
const NEAREST_EFFORTS: ReadonlyMap<string, string> = new Map([
  ["minimal", "low"],
  ["xhigh", "max"],
  ["max", "high"],
])

/** The amount of thinking, as members of a body. */
export interface EncodedThinking {
  readonly thinking?: JsonObject
  readonly effort?: string
}

/**
 * Encodes the requested amount of thinking.
 * @param body the body as written so far. Its limit, messages and tools determine whether a budget is possible.
 */
export function encodeThinking(
  request: ChatRequest,
  body: JsonObject,
  quirks: AnthropicQuirks,
  losses: LossList,
): EncodedThinking {
  const options = request.reasoning
  if (options === undefined) return {}
  if (isReasoningOff(options)) return { thinking: { type: "disabled" } }
  const { effort, budget, isAdaptive } = options
  // The option to show thinking does not enable thinking.
  if (effort === undefined && budget === undefined && isAdaptive !== true) return {}
  const wantsBudget = budget !== undefined && isAdaptive !== true
  if (quirks.thinking === "budget" || (quirks.thinking === "either" && wantsBudget)) {
    return encodeBudget(options, body, losses)
  }
  return encodeAdaptive(options, request.maxTokens, quirks, losses)
}

/**
 * Returns a thinking budget that Anthropic accepts: at least 1024, and less than the entire output.
 * @returns undefined if the output is too small for any budget.
 */
export function fitBudget(budget: number, maxTokens: number): number | undefined {
  const wanted = budget < maxTokens ? budget : Math.floor(maxTokens * LARGEST_SHARE)
  const fitted = Math.max(SMALLEST_BUDGET, wanted)
  return fitted < maxTokens ? fitted : undefined
}

function encodeAdaptive(
  options: ReasoningOptions,
  maxTokens: number | undefined,
  quirks: AnthropicQuirks,
  losses: LossList,
): EncodedThinking {
  if (options.budget !== undefined) losses.add("reasoning_budget", "approximated")
  const thinking = { type: "adaptive", ...encodeDisplay(options) }
  const word = effortOf(options, maxTokens)
  if (word === undefined) return { thinking }
  const nearest = quirks.efforts.includes(word) ? word : NEAREST_EFFORTS.get(word)
  return { thinking, effort: nearest ?? word }
}

function encodeBudget(
  options: ReasoningOptions,
  body: JsonObject,
  losses: LossList,
): EncodedThinking {
  const name: Feature = options.budget === undefined ? "reasoning_effort" : "reasoning_budget"
  // Anthropic rejects such requests: "Thinking may not be enabled when tool_choice forces tool use".
  if (isForced(body) || !mayThink(messagesOf(body))) {
    losses.add(name)
    return {}
  }
  const maxTokens = Number(body.max_tokens)
  const requested = budgetOf(options, maxTokens)
  const medium = budgetOf({ effort: "medium" }, maxTokens) ?? SMALLEST_BUDGET
  const budget = fitBudget(requested ?? medium, maxTokens)
  if (budget !== (options.budget ?? requested)) losses.add(name, "approximated")
  if (budget === undefined) return {}
  return { thinking: { type: "enabled", budget_tokens: budget, ...encodeDisplay(options) } }
}

function messagesOf({ messages }: JsonObject): readonly JsonObject[] {
  return Array.isArray(messages) ? (messages as JsonObject[]) : []
}

function encodeDisplay({ summary }: ReasoningOptions): JsonObject {
  if (summary === undefined) return {}
  return { display: summary === "none" ? "omitted" : "summarized" }
}
