import type { ChatRequest, ReasoningOptions } from "../../../canon/chat.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { budgetOf, effortOf, isReasoningOff } from "../../shared/reasoning.ts"
import { THINKING_LEVELS, type ThinkingControl, type ThinkingLevel } from "../quirks.ts"
import type { Encoding } from "../request/encoding.ts"

/** The level for each effort. */
const LEVELS: ReadonlyMap<string, ThinkingLevel> = new Map([
  ["minimal", "MINIMAL"],
  ["low", "LOW"],
  ["medium", "MEDIUM"],
  ["high", "HIGH"],
  ["xhigh", "HIGH"],
  ["max", "HIGH"],
])

/** The budget that lets the model decide. */
const DYNAMIC_BUDGET = -1

type Control<By> = Extract<ThinkingControl, { by: By }>

/** Encodes `thinkingConfig` in the model's form: with a budget or, since Gemini 3, with a level. */
export function encodeThinking(request: ChatRequest, encoding: Encoding): JsonObject | undefined {
  const options = request.reasoning
  if (options === undefined) return undefined
  const { thinking } = encoding.traits
  const isOff = isReasoningOff(options)
  if (thinking.by === "nothing") {
    if (!isOff) encoding.losses.add(nameOf(options))
    return undefined
  }
  const config =
    thinking.by === "budget"
      ? encodeBudget(options, request.maxTokens, thinking, encoding)
      : encodeLevel(options, request.maxTokens, thinking, encoding)
  if (!isOff && options.summary !== "none") config.includeThoughts = true
  return config
}

function encodeBudget(
  options: ReasoningOptions,
  maxTokens: number | undefined,
  { min, max, canBeOff }: Control<"budget">,
  { losses }: Encoding,
): JsonObject {
  const wanted = budgetOf(options, maxTokens)
  if (wanted === undefined) {
    if (options.effort !== undefined) losses.add("reasoning_effort", "approximated")
    return options.isAdaptive === true ? { thinkingBudget: DYNAMIC_BUDGET } : {}
  }
  if (wanted === 0 && canBeOff) return { thinkingBudget: 0 }
  const thinkingBudget = Math.min(max, Math.max(min, wanted))
  const isExact = thinkingBudget === wanted
  if (!isExact && (wanted === 0 || options.budget !== undefined)) {
    losses.add(nameOf(options), "approximated")
  }
  return { thinkingBudget }
}

function encodeLevel(
  options: ReasoningOptions,
  maxTokens: number | undefined,
  { levels }: Control<"level">,
  { losses }: Encoding,
): JsonObject {
  const effort = effortOf(options, maxTokens)
  if (effort === undefined) return {}
  const wanted = effort === "none" ? "MINIMAL" : LEVELS.get(effort)
  // Thinking cannot be disabled in a model that is controlled by levels.
  if (effort === "none" || wanted === undefined) losses.add(nameOf(options), "approximated")
  if (wanted === undefined) return {}
  const atLeast = THINKING_LEVELS.slice(THINKING_LEVELS.indexOf(wanted))
  const thinkingLevel = atLeast.find((level) => levels.includes(level)) ?? "HIGH"
  return { thinkingLevel }
}

/** Returns the option's name as the caller used it. */
function nameOf(options: ReasoningOptions): "reasoning_budget" | "reasoning_effort" {
  return options.budget === undefined ? "reasoning_effort" : "reasoning_budget"
}
