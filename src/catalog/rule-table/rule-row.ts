import type { ModelRules } from "#contract/model-rules.ts"

/** Rules that the model lists do not contain. If several rows match, later rows override earlier ones. */
export interface RuleRow {
  readonly vendors: readonly string[]
  /** Description of the matching models for readers. */
  readonly applies: string
  /** Matches the vendor's name for a model; if absent, all models of the vendor. */
  readonly models?: RegExp
  readonly rules: ModelRules
  /** The vendor's documentation, or an observed response, that the rules are based on. */
  readonly source: string
}

/** The ids of Moonshot's platforms, outside and inside China. */
export const MOONSHOT = ["moonshot", "moonshot-cn"]
/** The ids of Z.ai's platforms, outside and inside China. */
export const ZAI = ["zai", "zhipu"]
