/**
 * Reasoning that a limit on output does not bound, since the vendor limits only what the model says after it. Tokens.
 */
export interface SeparateReasoning {
  /** The budgets that every model takes. */
  readonly min: number
  readonly max: number
  /** The longest reasoning of any model. */
  readonly longest: number
  /** The models that keep to a budget; absent: all. */
  readonly keeping?: RegExp
}

/** By vendor. Both call the budget `thinking_budget`. */
export const SEPARATE_REASONING: Readonly<Record<string, SeparateReasoning>> = {
  // alibabacloud.com/help/en/model-studio/deep-thinking: above a model's longest reasoning a budget is refused.
  alibaba: { min: 1, max: 30_000, longest: 81_920 },
  // docs.siliconflow.com/en/userguide/capabilities/reasoning: only Qwen3 stops at it.
  siliconflow: { min: 128, max: 16_384, longest: 40_000, keeping: /qwen3/i },
}

/** The budget that is sent with a limit on output; undefined where that is more than every model takes. */
export function budgetOf({ min, max }: SeparateReasoning, limit: number): number | undefined {
  return limit > max ? undefined : Math.max(min, limit)
}

/** The longest reasoning that goes with a limit on output. */
export function reasoningWith(own: SeparateReasoning, limit: number): number {
  return Math.min(own.longest, budgetOf(own, limit) ?? own.longest)
}

/** The highest limit on output that, with the reasoning beside it, is within so many tokens; 0 or less: none. */
export function limitWithin({ min, max, longest }: SeparateReasoning, tokens: number): number {
  const unlimited = tokens - longest
  if (unlimited > max) return unlimited
  return Math.min(max, Math.floor(Math.max(Math.min(tokens / 2, tokens - min), 0)))
}
