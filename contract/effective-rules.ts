import type { RULE_NAMES } from "./rule-definitions.ts"

/** Sources of rules, in increasing precedence. A learned rule never replaces a rule from the settings. */
export const RULE_SOURCES = ["built_in", "list", "learned", "settings"] as const
export type RuleSource = (typeof RULE_SOURCES)[number]

/** A rule that applies to a deployment. */
export interface EffectiveRule {
  name: (typeof RULE_NAMES)[number]
  value: string | number | boolean | string[]
  source: RuleSource
  /** A link to the documentation of a built-in rule, or the time when a rule was learned. */
  note: string | null
}

/** Formats the value of a rule for display. */
export function ruleText(value: EffectiveRule["value"]): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  return String(value)
}

export const RULE_SOURCE_WORDS: Readonly<Record<RuleSource, string>> = {
  built_in: "built in",
  list: "price list",
  learned: "learned",
  settings: "settings",
}
