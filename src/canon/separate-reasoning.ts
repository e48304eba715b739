/**
 * The limits of reasoning tokens that the output limit does not include, because the vendor limits only the text after
 * the reasoning.
 */
export interface SeparateReasoning {
  /** The range of budgets that every model accepts. */
  readonly min: number
  readonly max: number
  /** Maximum number of reasoning tokens of any model. */
  readonly longest: number
  /** Matches models that respect a budget; absent if all models do. */
  readonly keeping?: RegExp
}

/** The limits of each vendor. Both vendors call the budget `thinking_budget`. */
export const SEPARATE_REASONING: Readonly<Record<string, SeparateReasoning>> = {
  // A budget above the model's maximum reasoning is rejected: alibabacloud.com/help/en/model-studio/deep-thinking.
  alibaba: { min: 1, max: 30_000, longest: 81_920 },
  // At SiliconFlow, only Qwen3 respects the budget (docs.siliconflow.com/en/userguide/capabilities/reasoning).
  siliconflow: { min: 128, max: 16_384, longest: 40_000, keeping: /qwen3/i },
}

/** Returns the reasoning budget that is sent together with an output limit; undefined if not every model accepts it. */
export function budgetOf({ min, max }: SeparateReasoning, limit: number): number | undefined {
  return limit > max ? undefined : Math.max(min, limit)
}

/** Returns the maximum reasoning tokens of a request with an output limit. */
export function reasoningWith(own: SeparateReasoning, limit: number): number {
  return Math.min(own.longest, budgetOf(own, limit) ?? own.longest)
}

/**
 * Returns the highest output limit that fits into the given tokens together with its reasoning; 0 or less if no limit
 * fits.
 */
export function limitWithin({ min, max, longest }: SeparateReasoning, tokens: number): number {
  const unlimited = tokens - longest
  if (unlimited > max) return unlimited
  return Math.min(max, Math.floor(Math.max(Math.min(tokens / 2, tokens - min), 0)))
}
