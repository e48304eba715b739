import type { ChatRequest, ReasoningOptions } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, listAt } from "../../canon/json.ts"
import type { LossList } from "../shared/losses.ts"
import { budgetOf, effortOf, isReasoningOff, noteSummary } from "../shared/reasoning.ts"
import type { ModelFamily } from "./quirks.ts"

/** Efforts, from the lowest to the highest. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** Replaces options without an equivalent: an amount that the model decides, or an unknown effort. */
const MIDDLE: ReasoningOptions = { effort: "medium" }

/** The smallest thinking budget that Claude accepts. */
const SMALLEST_BUDGET = 1024

/** The parts of a request that are written before its reasoning. */
export interface WrittenSoFar {
  readonly messages: readonly JsonObject[]
  /** Whether a tool call is required. */
  readonly isForced: boolean
}

/** Reasoning options as they are sent. */
export interface EncodedReasoning {
  /** Members of `additionalModelRequestFields`. */
  readonly fields: JsonObject
  /** Whether temperature and similar parameters are rejected together with reasoning. */
  readonly rejectsSampling: boolean
}

/**
 * Returns the reasoning options in the form of the model's maker.
 * @returns undefined if the request does not ask the model to think.
 */
export function encodeReasoning(
  request: ChatRequest,
  written: WrittenSoFar,
  family: ModelFamily,
  losses: LossList,
): EncodedReasoning | undefined {
  const { reasoning: options, maxTokens } = request
  if (options === undefined || !asksForThought(options)) return undefined
  const encoder = { options, maxTokens, family, losses }
  switch (family.reasoning) {
    case "none":
      if (!isReasoningOff(options)) losses.add(nameOf(options))
      return undefined
    case "budget":
    case "budget-or-adaptive":
    case "adaptive":
      return encodeThinking(encoder, written)
    case "nova":
      return encodeNova(encoder)
    case "flat-effort":
      return withEffort(encoder, (effort) => plainly({ reasoning_effort: effort }))
    case "nested-effort":
      return withEffort(encoder, (effort) => plainly({ reasoning: { effort } }))
  }
}

interface Encoder {
  readonly options: ReasoningOptions
  readonly maxTokens: number | undefined
  readonly family: ModelFamily
  readonly losses: LossList
}

/** Encodes Claude's thinking. A required call comes before any thinking, so a request cannot have both. */
function encodeThinking(
  encoder: Encoder,
  { messages, isForced }: WrittenSoFar,
): EncodedReasoning | undefined {
  const { options, family, losses } = encoder
  const isAdaptive =
    family.reasoning === "adaptive" ||
    (family.reasoning === "budget-or-adaptive" && options.budget === undefined)
  if (isReasoningOff(options)) {
    // Some of the newest models always think.
    if (family.reasoning === "adaptive") losses.add(nameOf(options), "approximated")
    return undefined
  }
  if (isForced || (!isAdaptive && isInsideUnthoughtTurn(messages))) {
    losses.add(nameOf(options))
    return undefined
  }
  return isAdaptive ? encodeAdaptive(encoder) : encodeBudget(encoder)
}

/**
 * Whether the conversation ends with tool results in a turn that did not start with signed reasoning. Claude then
 * rejects thinking until the next user turn. A turn includes the results of its calls, and has thinking only at its
 * start.
 */
function isInsideUnthoughtTurn(messages: readonly JsonObject[]): boolean {
  let index = messages.length - 1
  if (!startsWith(messages[index], "toolResult")) return false
  while (startsWith(messages[index - 2], "toolResult")) index -= 2
  return !startsWith(messages[index - 1], "reasoningContent")
}

function startsWith(message: JsonObject | undefined, kind: string): boolean {
  const [first] = listAt(message ?? {}, "content")
  return isJsonObject(first) && first[kind] !== undefined
}

/**
 * Encodes a budget. The output limit includes the budget, so the budget must be smaller to leave room for a response.
 */
function encodeBudget(encoder: Encoder): EncodedReasoning | undefined {
  const { options, maxTokens, losses } = encoder
  noteSummary(options, losses)
  const wanted = budgetOf(options, maxTokens) ?? budgetOf(MIDDLE, maxTokens) ?? SMALLEST_BUDGET
  const budget = Math.max(SMALLEST_BUDGET, Math.min(wanted, (maxTokens ?? Infinity) - 1))
  if (maxTokens !== undefined && budget >= maxTokens) {
    losses.add(nameOf(options))
    return undefined
  }
  const isAsWanted = options.budget === undefined ? isKnown(options) : budget === options.budget
  if (!isAsWanted) losses.add(nameOf(options), "approximated")
  return strictly({ thinking: { type: "enabled", budget_tokens: budget } })
}

function encodeAdaptive({
  options,
  maxTokens,
  family,
  losses,
}: Encoder): EncodedReasoning | undefined {
  const thinking: JsonObject = { type: "adaptive" }
  // The text of the thinking is withheld unless it is requested.
  if (options.summary !== undefined && family.reasoning === "adaptive") {
    thinking.display = options.summary === "none" ? "omitted" : "summarized"
  } else noteSummary(options, losses)
  if (options.budget !== undefined) losses.add("reasoning_budget", "approximated")
  const effort = fittedEffort(effortOf(options, maxTokens), family.efforts)
  if (effort !== undefined) return strictly({ thinking, output_config: { effort } })
  if (options.effort !== undefined) losses.add("reasoning_effort")
  return strictly({ thinking })
}

/**
 * Encodes Nova's reasoning. With the effort `high`, Nova accepts no output limit. The output limit is the amount that
 * the caller can pay for, so a lower effort is sent instead.
 */
function encodeNova(encoder: Encoder): EncodedReasoning | undefined {
  const { options, maxTokens, losses } = encoder
  if (isReasoningOff(options)) return undefined
  return withEffort(encoder, (effort) => {
    const isCapped = effort === "high" && maxTokens !== undefined
    if (isCapped) losses.add(nameOf(options), "approximated")
    const maxReasoningEffort = isCapped ? "medium" : effort
    const fields = { reasoningConfig: { type: "enabled", maxReasoningEffort } }
    return maxReasoningEffort === "high" ? strictly(fields) : plainly(fields)
  })
}

function withEffort(
  { options, maxTokens, family, losses }: Encoder,
  write: (effort: string) => EncodedReasoning,
): EncodedReasoning | undefined {
  const word = effortOf(options, maxTokens)
  const effort = fittedEffort(word ?? MIDDLE.effort, family.efforts)
  if (effort === undefined) {
    losses.add(nameOf(options))
    return undefined
  }
  const isExact = options.budget === undefined && word !== undefined
  if (!isExact || (word === "none" && effort !== "none"))
    losses.add(nameOf(options), "approximated")
  return write(effort)
}

function plainly(fields: JsonObject): EncodedReasoning {
  return { fields, rejectsSampling: false }
}

function strictly(fields: JsonObject): EncodedReasoning {
  return { fields, rejectsSampling: true }
}

/** Returns the effort itself if it is accepted, otherwise the next lower accepted effort, otherwise the lowest one. */
function fittedEffort(word: string | undefined, taken: readonly string[]): string | undefined {
  if (word === undefined || taken.includes(word)) return word
  const rank = EFFORTS.indexOf(word)
  if (rank < 0) return undefined
  return taken.findLast((candidate) => EFFORTS.indexOf(candidate) < rank) ?? taken[0]
}

/** Whether the options set anything besides the visibility of thinking. */
function asksForThought({ effort, budget, isAdaptive }: ReasoningOptions): boolean {
  return effort !== undefined || budget !== undefined || isAdaptive === true
}

function isKnown(options: ReasoningOptions): boolean {
  return options.effort !== undefined && EFFORTS.includes(options.effort)
}

/** Returns the name under which a loss of these options is reported. */
function nameOf(options: ReasoningOptions): string {
  return options.budget === undefined ? "reasoning_effort" : "reasoning_budget"
}
