import type { ChatRequest, ReasoningOrder } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, listAt } from "../../canon/json.ts"
import type { LossList } from "../shared/losses.ts"
import { budgetOf, effortOf, isReasoningOff, noteSummary } from "../shared/reasoning.ts"
import type { ModelFamily } from "./quirks.ts"

/** Words of effort, from the least to the most. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** What stands for an order that cannot be said: the model should decide, or a word nobody knows. */
const MIDDLE: ReasoningOrder = { effort: "medium" }

/** The least budget of thinking that Claude takes. */
const SMALLEST_BUDGET = 1024

/** What has been written of a request by the time that its reasoning is. */
export interface WrittenSoFar {
  readonly messages: readonly JsonObject[]
  /** Whether a call of a tool is demanded. */
  readonly isForced: boolean
}

/** How thinking is asked for. */
export interface EncodedReasoning {
  /** Members of `additionalModelRequestFields`. */
  readonly fields: JsonObject
  /** Whether temperature and the like are refused beside it. */
  readonly refusesSampling: boolean
}

/**
 * The order for reasoning, in the form of the model's maker.
 *
 * @returns undefined when the model is not asked to think.
 */
export function encodeReasoning(
  request: ChatRequest,
  written: WrittenSoFar,
  family: ModelFamily,
  losses: LossList,
): EncodedReasoning | undefined {
  const { reasoning: order, maxTokens } = request
  if (order === undefined || !asksForThought(order)) return undefined
  const encoder = { order, maxTokens, family, losses }
  switch (family.reasoning) {
    case "none":
      if (!isReasoningOff(order)) losses.add(nameOf(order))
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
  readonly order: ReasoningOrder
  readonly maxTokens: number | undefined
  readonly family: ModelFamily
  readonly losses: LossList
}

/** Claude's. A demanded call comes before any thought, so the model cannot do both. */
function encodeThinking(
  encoder: Encoder,
  { messages, isForced }: WrittenSoFar,
): EncodedReasoning | undefined {
  const { order, family, losses } = encoder
  const isAdaptive =
    family.reasoning === "adaptive" ||
    (family.reasoning === "budget-or-adaptive" && order.budget === undefined)
  if (isReasoningOff(order)) {
    // Some of the newest always think.
    if (family.reasoning === "adaptive") losses.add(nameOf(order), "approximated")
    return undefined
  }
  if (isForced || (!isAdaptive && isInsideUnthoughtTurn(messages))) {
    losses.add(nameOf(order))
    return undefined
  }
  return isAdaptive ? encodeAdaptive(encoder) : encodeBudget(encoder)
}

/**
 * Whether results of tools stand last and the turn that called them does not begin with signed
 * reasoning. Claude then refuses to go on thinking; the next turn of the user frees it. A turn goes on
 * over the results of its calls, and thinks at its beginning only.
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

/** The budget has to leave room for an answer: it is less than the limit of both. */
function encodeBudget(encoder: Encoder): EncodedReasoning | undefined {
  const { order, maxTokens, losses } = encoder
  noteSummary(order, losses)
  const wanted = budgetOf(order, maxTokens) ?? budgetOf(MIDDLE, maxTokens) ?? SMALLEST_BUDGET
  const budget = Math.max(SMALLEST_BUDGET, Math.min(wanted, (maxTokens ?? Infinity) - 1))
  if (maxTokens !== undefined && budget >= maxTokens) {
    losses.add(nameOf(order))
    return undefined
  }
  const isAsWanted = order.budget === undefined ? isKnown(order) : budget === order.budget
  if (!isAsWanted) losses.add(nameOf(order), "approximated")
  return strictly({ thinking: { type: "enabled", budget_tokens: budget } })
}

function encodeAdaptive({
  order,
  maxTokens,
  family,
  losses,
}: Encoder): EncodedReasoning | undefined {
  const thinking: JsonObject = { type: "adaptive" }
  // Its text is withheld unless it is asked for.
  if (order.summary !== undefined && family.reasoning === "adaptive") {
    thinking.display = order.summary === "none" ? "omitted" : "summarized"
  } else noteSummary(order, losses)
  if (order.budget !== undefined) losses.add("reasoning_budget", "approximated")
  const effort = fittedEffort(effortOf(order, maxTokens), family.efforts)
  if (effort !== undefined) return strictly({ thinking, output_config: { effort } })
  if (order.effort !== undefined) losses.add("reasoning_effort")
  return strictly({ thinking })
}

/**
 * Nova's. With `high` it takes no limit of the output, but the limit is what the caller can pay for: so
 * the model thinks less instead.
 */
function encodeNova(encoder: Encoder): EncodedReasoning | undefined {
  const { order, maxTokens, losses } = encoder
  if (isReasoningOff(order)) return undefined
  return withEffort(encoder, (effort) => {
    const isCapped = effort === "high" && maxTokens !== undefined
    if (isCapped) losses.add(nameOf(order), "approximated")
    const maxReasoningEffort = isCapped ? "medium" : effort
    const fields = { reasoningConfig: { type: "enabled", maxReasoningEffort } }
    return maxReasoningEffort === "high" ? strictly(fields) : plainly(fields)
  })
}

function withEffort(
  { order, maxTokens, family, losses }: Encoder,
  write: (effort: string) => EncodedReasoning,
): EncodedReasoning | undefined {
  const word = effortOf(order, maxTokens)
  const effort = fittedEffort(word ?? MIDDLE.effort, family.efforts)
  if (effort === undefined) {
    losses.add(nameOf(order))
    return undefined
  }
  const isSaid = order.budget === undefined && word !== undefined
  if (!isSaid || (word === "none" && effort !== "none")) losses.add(nameOf(order), "approximated")
  return write(effort)
}

function plainly(fields: JsonObject): EncodedReasoning {
  return { fields, refusesSampling: false }
}

function strictly(fields: JsonObject): EncodedReasoning {
  return { fields, refusesSampling: true }
}

/** The word itself, else the next lower one that is taken, else the lowest. */
function fittedEffort(word: string | undefined, taken: readonly string[]): string | undefined {
  if (word === undefined || taken.includes(word)) return word
  const rank = EFFORTS.indexOf(word)
  if (rank < 0) return undefined
  return taken.findLast((candidate) => EFFORTS.indexOf(candidate) < rank) ?? taken[0]
}

/** Whether the order is about more than how much of the thinking is shown. */
function asksForThought({ effort, budget, isAdaptive }: ReasoningOrder): boolean {
  return effort !== undefined || budget !== undefined || isAdaptive === true
}

function isKnown(order: ReasoningOrder): boolean {
  return order.effort !== undefined && EFFORTS.includes(order.effort)
}

/** The name that a loss of the order has. */
function nameOf(order: ReasoningOrder): string {
  return order.budget === undefined ? "reasoning_effort" : "reasoning_budget"
}
