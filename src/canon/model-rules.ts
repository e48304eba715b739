import type { RuleSource } from "#contract/effective-rules.ts"
import type { ModelRules, RuleName } from "#contract/model-rules.ts"

/** Where a rule comes from. */
export interface RuleOrigin {
  readonly source: RuleSource
  /** Where it is documented, or when it was learned. */
  readonly note?: string
}

export type RuleOrigins = Readonly<Partial<Record<RuleName, RuleOrigin>>>

/** The rules in force. The relay and the encoders ask them and never guess from a name. */
export interface EffectiveRules {
  /** Absent: no restriction is known. */
  readonly rules?: ModelRules
  /**
   * Those that apply to requests in the format of its maker as well, which are otherwise sent as their caller wrote
   * them: what the settings say, and what the provider has rejected. Absent: none.
   */
  readonly enforced?: ModelRules
}

/** Rules of one model with those of a stronger source; lists are replaced as a whole. */
export function overridden(
  rules: ModelRules | undefined,
  stronger: ModelRules | undefined,
): ModelRules | undefined {
  if (rules === undefined || stronger === undefined) return stronger ?? rules
  return { ...rules, ...stronger }
}

/** Rules with what a provider has rejected since. Rejected parameters add up. */
export function extended(rules: ModelRules | undefined, learned: ModelRules): ModelRules {
  const before = rules?.rejected_parameters ?? []
  const rejected = new Set([...before, ...(learned.rejected_parameters ?? [])])
  return {
    ...rules,
    ...learned,
    ...(rejected.size > 0 && { rejected_parameters: [...rejected] }),
  }
}
