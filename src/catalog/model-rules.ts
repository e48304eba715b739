import type { ModelRules } from "../canon/model-rules.ts"
import type { ModelFacts } from "./facts.ts"
import { RULE_TABLE } from "./model-rule-table.ts"

/** Vendors that reject reasoning options for models that do not reason; others ignore or translate them. */
const IGNORES_REASONING: ReadonlySet<string> = new Set(["anthropic", "bedrock", "google", "vertex"])

/**
 * The rules of one model at its vendor: the built-in table, then the facts about the model.
 * @param model the vendor's own name for it.
 * @param facts absent: nothing is known of the model, so its vendor's rules apply.
 * @returns undefined if there is no restriction.
 */
export function rulesOf(
  vendor: string,
  model: string,
  facts: ModelFacts | undefined,
): ModelRules | undefined {
  let rules: ModelRules | undefined
  for (const row of RULE_TABLE) {
    const applies = row.vendors.includes(vendor) && (row.models?.test(model) ?? true)
    if (applies) rules = merged(rules, row.rules)
  }
  const neverReasons = facts !== undefined && facts.reasoning !== true
  if (!neverReasons || IGNORES_REASONING.has(vendor)) return rules
  return { ...rules, reasoning: { supported: false } }
}

/** The rules of an area are merged by their members. */
function merged(rules: ModelRules | undefined, more: ModelRules): ModelRules {
  if (rules === undefined) return more
  return {
    ...rules,
    ...more,
    ...(more.reasoning && { reasoning: { ...rules.reasoning, ...more.reasoning } }),
  }
}
