import type { EffectiveRule } from "#contract/effective-rules.ts"
import type { ModelRules, RuleName } from "#contract/model-rules.ts"
import { type EffectiveRules, extended, type RuleOrigin } from "../canon/model-rules.ts"
import { type Deployment, placeOf } from "./model.ts"
import { listedRules } from "./model-rules.ts"

/** Maximum deployments with learned rules. Each deployment has at most one value for each rule. */
const MAX_DEPLOYMENTS = 1_000
/** Maximum deployments with learned rules whose names were chosen by callers. */
const MAX_ASSUMED = 100

/** Called for each learned rule. It must not throw. */
export type OnRuleLearned = (deployment: string, name: RuleName, value: string) => void

interface Learned {
  rules: ModelRules
  readonly origins: Partial<Record<RuleName, RuleOrigin>>
  readonly isAssumed: boolean
  /** Cached rules of the deployments in current catalogs, including learned rules. */
  effective: WeakMap<Deployment, EffectiveRules>
}

/**
 * Stores the parameters that providers have rejected since the process started, by deployment. Rules from the settings
 * are never replaced. The number of rules is limited. A correction that is not stored still applies to its own request.
 */
export class LearnedRules {
  readonly #learned = new Map<string, Learned>()
  readonly #onLearned: OnRuleLearned

  constructor(onLearned: OnRuleLearned = () => undefined) {
    this.#onLearned = onLearned
  }

  /** Returns the rules that apply to a deployment. */
  of(deployment: Deployment): EffectiveRules {
    if (this.#learned.size === 0) return deployment
    const learned = this.#learned.get(placeOf(deployment))
    if (learned === undefined) return deployment
    let effective = learned.effective.get(deployment)
    if (effective === undefined) {
      effective = corrected(deployment, correctable(learned.rules, deployment) ?? {})
      learned.effective.set(deployment, effective)
    }
    return effective
  }

  /** Stores a rejection by a provider. */
  learn(deployment: Deployment, rules: ModelRules, now = new Date()): void {
    const place = placeOf(deployment)
    const learned = this.#learned.get(place) ?? this.#added(place, deployment)
    if (learned === undefined) return
    const before = learned.rules
    learned.rules = extended(before, rules)
    learned.effective = new WeakMap()
    for (const name of Object.keys(rules) as RuleName[]) {
      const value = String(learned.rules[name])
      if (value === String(before[name])) continue
      learned.origins[name] = { source: "learned", note: now.toISOString() }
      this.#onLearned(place, name, value)
    }
  }

  /** Returns the rules of a deployment for display. */
  list(deployment: Deployment): EffectiveRule[] {
    const { rules = {} } = this.of(deployment)
    const learned = this.#learned.get(placeOf(deployment))
    const { enforced: written = {}, ruleOrigins } = deployment
    const pinned = Object.keys(written).map((name) => [name, { source: "settings" }])
    return listedRules({
      rules,
      ruleOrigins: { ...ruleOrigins, ...learned?.origins, ...Object.fromEntries(pinned) },
    })
  }

  #added(place: string, deployment: Deployment): Learned | undefined {
    const isAssumed = deployment.isAssumed === true
    const all = [...this.#learned.values()]
    if (all.length >= MAX_DEPLOYMENTS) return undefined
    if (isAssumed && all.filter((one) => one.isAssumed).length >= MAX_ASSUMED) return undefined
    const learned: Learned = { rules: {}, origins: {}, isAssumed, effective: new WeakMap() }
    this.#learned.set(place, learned)
    return learned
  }
}

/** Merges the rules of a deployment with the rejections of its provider. Rules from the settings are kept. */
export function corrected(
  { rules, enforced }: EffectiveRules,
  rejected: ModelRules,
): EffectiveRules {
  return { rules: extended(rules, rejected), enforced: extended(enforced, rejected) }
}

/** Returns the part of a rejection that the settings do not override; undefined if nothing remains. */
export function correctable(
  rejected: ModelRules,
  { enforced = {} }: Pick<Deployment, "enforced">,
): ModelRules | undefined {
  const open = Object.entries(rejected).filter(([name]) => !Object.hasOwn(enforced, name))
  return open.length === 0 ? undefined : Object.fromEntries(open)
}
