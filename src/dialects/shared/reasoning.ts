import type { ReasoningOptions } from "../../canon/chat.ts"
import type { LossList } from "./losses.ts"

/**
 * The share of the response's tokens that is used for thinking, by effort. The shares convert between efforts and
 * budgets in tokens. OpenRouter documents them for the same purpose.
 */
const SHARES: ReadonlyMap<string, number> = new Map([
  ["none", 0],
  ["minimal", 0.1],
  ["low", 0.2],
  ["medium", 0.5],
  ["high", 0.8],
  ["xhigh", 0.95],
  ["max", 0.95],
])

/** The output limit on which budgets are based if the caller did not set a limit. */
const DEFAULT_LIMIT = 16_384
/** The smallest budget that is sent. No vendor has a higher minimum. */
const SMALLEST_BUDGET = 1024
const LARGEST_BUDGET = 32_768

/** Whether a request sets the amount of reasoning. */
export function setsReasoning(options: ReasoningOptions | undefined): boolean {
  return options?.effort !== undefined || options?.budget !== undefined
}

/** Whether a request disables thinking. */
export function isReasoningOff(options: ReasoningOptions | undefined): boolean {
  return options?.effort === "none" || options?.budget === 0
}

/** Returns the budget in tokens for the options; undefined if the model decides. */
export function budgetOf(
  options: ReasoningOptions,
  maxTokens: number | undefined,
): number | undefined {
  if (options.budget !== undefined) return options.budget
  const share = options.effort === undefined ? undefined : SHARES.get(options.effort)
  if (share === undefined) return undefined
  if (share === 0) return 0
  const budget = Math.floor((maxTokens ?? DEFAULT_LIMIT) * share)
  return Math.min(LARGEST_BUDGET, Math.max(SMALLEST_BUDGET, budget))
}

/** Returns the effort for the options; undefined if the model decides. */
export function effortOf(
  options: ReasoningOptions,
  maxTokens: number | undefined,
): string | undefined {
  if (options.effort !== undefined) return options.effort
  const { budget } = options
  if (budget === undefined) return undefined
  if (budget === 0) return "none"
  const share = budget / (maxTokens ?? Math.max(DEFAULT_LIMIT, budget))
  if (share <= 0.2) return "low"
  return share <= 0.5 ? "medium" : "high"
}

/**
 * Reports the loss of the summary option at vendors that lack it. The value `auto` leaves the choice to the vendor, so
 * it is no loss.
 */
export function noteSummary({ summary }: ReasoningOptions, losses: LossList): void {
  if (summary !== undefined && summary !== "auto") losses.add("reasoning.summary")
}
