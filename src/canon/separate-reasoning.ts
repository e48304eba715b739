/**
 * Reasoning tokens that the output limit does not bound, because the vendor limits only the text
 * after them.
 */
export interface SeparateReasoning {
  /** Budgets that every model accepts. */
  readonly min: number
  readonly max: number
  /** Maximum reasoning of any model. */
  readonly longest: number
  /** Models that respect a budget; absent: all. */
  readonly keeping?: RegExp
}

/** By vendor. Both vendors call the budget `thinking_budget`. */
export const SEPARATE_REASONING: Readonly<Record<string, SeparateReasoning>> = {
  // alibabacloud.com/help/en/model-studio/deep-thinking: a budget above the model's maximum
  // reasoning is rejected.
  alibaba: { min: 1, max: 30_000, longest: 81_920 },
  // docs.siliconflow.com/en/userguide/capabilities/reasoning: only Qwen3 respects the budget.
  siliconflow: { min: 128, max: 16_384, longest: 40_000, keeping: /qwen3/i },
}

/** Returns the budget that is sent with an output limit; undefined if not every model accepts it. */
export function budgetOf({ min, max }: SeparateReasoning, limit: number): number | undefined {
  return limit > max ? undefined : Math.max(min, limit)
}

/** Returns the maximum reasoning of a request with an output limit. */
export function reasoningWith(own: SeparateReasoning, limit: number): number {
  return Math.min(own.longest, budgetOf(own, limit) ?? own.longest)
}

/** Returns the highest output limit that fits into the tokens together with its reasoning; 0 or less: no limit fits. */
export function limitWithin({ min, max, longest }: SeparateReasoning, tokens: number): number {
  const unlimited = tokens - longest
  if (unlimited > max) return unlimited
  return Math.min(max, Math.floor(Math.max(Math.min(tokens / 2, tokens - min), 0)))
}
