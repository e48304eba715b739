import type { RuleSource } from "#contract/effective-rules.ts"
import type { ModelRules, RuleName } from "#contract/model-rules.ts"

export interface RuleOrigin {
  readonly source: RuleSource
  /** The page that documents the rule, or the time when the gateway learned it. */
  readonly note?: string
}

export type RuleOrigins = Readonly<Partial<Record<RuleName, RuleOrigin>>>

/** The rules that apply to a model. The relay and the encoders read these rules and never guess from a model's name. */
export interface EffectiveRules {
  /** The rules of the model; if absent, no restriction is known. */
  readonly rules?: ModelRules
  /**
   * Rules that also apply to requests in the provider's own format, which are otherwise sent unchanged. They come from
   * the settings, or were learned from the provider's rejections. Absent if there are no such rules.
   */
  readonly enforced?: ModelRules
}

/** Merges the rules of one model with rules from a source of higher priority. Lists are replaced completely. */
export function overridden(
  rules: ModelRules | undefined,
  stronger: ModelRules | undefined,
): ModelRules | undefined {
  if (rules === undefined || stronger === undefined) return stronger ?? rules
  return { ...rules, ...stronger }
}

/** Adds learned rules. Rejected parameters accumulate. */
export function extended(rules: ModelRules | undefined, learned: ModelRules): ModelRules {
  const before = rules?.rejected_parameters ?? []
  const rejected = new Set([...before, ...(learned.rejected_parameters ?? [])])
  return {
    ...rules,
    ...learned,
    ...(rejected.size > 0 && { rejected_parameters: [...rejected] }),
  }
}
