import type { ModelRules } from "#contract/model-rules.ts"

/** Rules that the lists of models do not have. Of several rows that match, a later one overrides an earlier one. */
export interface RuleRow {
  readonly vendors: readonly string[]
  /** The matching models, in words. */
  readonly applies: string
  /** Matches the vendor's own name for a model; absent: all of its models. */
  readonly models?: RegExp
  readonly rules: ModelRules
  /** Where the vendor documents it, or the response that it was seen in. */
  readonly source: string
}

/** Moonshot's platforms, inside China and outside. */
export const MOONSHOT = ["moonshot", "moonshot-cn"]
/** Z.ai's platforms, outside China and inside. */
export const ZAI = ["zai", "zhipu"]
