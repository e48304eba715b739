import type { ModelRules } from "#contract/model-rules.ts"
import type { ChatRequest, ReasoningOptions } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
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
 * The options for the amount of thinking are `reasoning_effort`, or OpenRouter's object `reasoning: {effort,
 * max_tokens, enabled, exclude}`.
 */

/** The members that disable reasoning, in the form that a model requires. */
const SWITCHED_OFF: Readonly<Record<NonNullable<ModelRules["reasoning_off"]>, JsonObject>> = {
  none: { reasoning_effort: "none" },
  enable_thinking: { enable_thinking: false },
  thinking: { thinking: { type: "disabled" } },
}

const OPTION_FIELDS = new Set(["effort", "max_tokens", "enabled", "exclude"])

/**
 * Decodes the options for the amount of thinking.
 * @returns undefined if the caller set no options.
 */
export function decodeReasoningOptions(body: JsonObject): ReasoningOptions | undefined {
  const { reasoning } = body
  const options: Writable<ReasoningOptions> = isJsonObject(reasoning) ? decodeObject(reasoning) : {}
  const effort = textAt(body, "reasoning_effort")
  if (effort !== undefined) options.effort = effort
  return Object.keys(options).length === 0 ? undefined : options
}

/** Returns the members of `reasoning` that the canon lacks, or the whole value if it is not an object. */
export function reasoningExtra(reasoning: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(reasoning) ? unknownFields(reasoning, OPTION_FIELDS) : reasoning
}

/** Returns the options as members of a body. */
export function encodeReasoningOptions(
  request: ChatRequest,
  quirks: OpenAiChatQuirks,
  { losses, rules }: { readonly losses: LossList; readonly rules: ModelRules },
): JsonObject {
  const options = request.reasoning
  if (options === undefined) return {}
  if (quirks.reasoningForm === "object") return { reasoning: encodeObject(options) }
  const { reasoning_off: off } = rules
  if (isReasoningOff(options) && off !== undefined) return SWITCHED_OFF[off]
  if (options.budget !== undefined && !isReasoningOff(options)) {
    losses.add("reasoning_budget", "approximated")
  }
  noteSummary(options, losses)
  const effort = effortOf(options, request.maxTokens)
  return effort === undefined ? {} : { reasoning_effort: effort }
}

/** Converts the effort `none` to the form in which a model requires this option. */
export function switchOff(body: JsonObject, { reasoning_off: off = "none" }: ModelRules): void {
  if (off === "none" || body.reasoning_effort !== "none") return
  delete body.reasoning_effort
  Object.assign(body, SWITCHED_OFF[off])
}

function decodeObject(reasoning: JsonObject): Writable<ReasoningOptions> {
  const options: Writable<ReasoningOptions> = {}
  const effort = textAt(reasoning, "effort")
  const { max_tokens: budget, enabled, exclude } = reasoning
  if (effort !== undefined) options.effort = effort
  if (typeof budget === "number" && budget >= 0) options.budget = Math.floor(budget)
  if (enabled === false) options.effort = "none"
  else if (enabled === true && effort === undefined && options.budget === undefined) {
    options.isAdaptive = true
  }
  if (exclude === true) options.summary = "none"
  return options
}

/** Returns the object `reasoning`. OpenRouter accepts the effort or the budget, but not both. */
function encodeObject(options: ReasoningOptions): JsonObject {
  const reasoning: JsonObject = {}
  if (isReasoningOff(options)) reasoning.effort = "none"
  else if (options.budget !== undefined) reasoning.max_tokens = options.budget
  else if (options.effort !== undefined) reasoning.effort = options.effort
  else if (options.isAdaptive === true) reasoning.enabled = true
  if (options.summary === "none") reasoning.exclude = true
  return reasoning
}
