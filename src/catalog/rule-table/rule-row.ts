import type { ModelRules } from "#contract/model-rules.ts"

/** Rules that the lists of models do not contain. Among several matching rows, later ones override earlier ones. */
export interface RuleRow {
  readonly vendors: readonly string[]
  /** The matching models, in words. */
  readonly applies: string
  /** Matches the vendor's own name for a model; all of its models if absent. */
  readonly models?: RegExp
  readonly rules: ModelRules
  /** The vendor's documentation, or an observed response. */
  readonly source: string
}

/** Moonshot's platforms, inside China and outside. */
export const MOONSHOT = ["moonshot", "moonshot-cn"]
/** Z.ai's platforms, outside China and inside. */
export const ZAI = ["zai", "zhipu"]
