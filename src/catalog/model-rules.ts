import type { ModelRules, OutputRules, ReasoningRules } from "../canon/model-rules.ts"
import type { ModelFacts } from "./facts.ts"
import { RULE_TABLE, SWITCHES } from "./model-rule-table.ts"

/** Vendors whose dialects know their models, or that adapt each request to the model themselves. */
const ADAPTING: ReadonlySet<string> = new Set([
  "anthropic",
  "bedrock",
  "cohere",
  "google",
  "openrouter",
  "vertex",
])

/**
 * The rules of one chat model at its vendor: those of the built-in table, then those that the lists of models say.
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
  if (facts === undefined || ADAPTING.has(vendor)) return rules
  const listed = merged(rules, listedRules(vendor, facts))
  // The table says more of sampling than the lists, which know the temperature alone.
  return rules?.sampling === undefined ? listed : { ...listed, sampling: rules.sampling }
}

/** The rules that the lists of models say. */
function listedRules(vendor: string, facts: ModelFacts): ModelRules {
  if (facts.reasoning !== true) return { reasoning: { supported: false } }
  const { efforts, reasoning_field: field } = facts
  const switched = efforts?.includes("none") === true ? "none" : SWITCHES.get(vendor)
  const reasoning: ReasoningRules = {
    ...(efforts === undefined ? {} : { efforts }),
    ...(switched === undefined ? {} : { off: switched }),
    ...(field === "reasoning_content" ? { needsToolTurnContent: true } : {}),
  }
  return {
    reasoning,
    ...(facts.temperature === false ? { sampling: { rejects: ["temperature", "topP"] } } : {}),
  }
}

/** The rules of an area are merged by their members. */
function merged(rules: ModelRules | undefined, more: ModelRules): ModelRules {
  if (rules === undefined) return more
  return {
    ...rules,
    ...more,
    ...(more.reasoning && { reasoning: { ...rules.reasoning, ...more.reasoning } }),
    ...(more.output && { output: mergedOutput(rules.output, more.output) }),
    ...(more.tools && { tools: { ...rules.tools, ...more.tools } }),
    ...(more.turns && { turns: { ...rules.turns, ...more.turns } }),
  }
}

function mergedOutput(rules: OutputRules | undefined, more: OutputRules): OutputRules {
  const schemas = more.schemas && { schemas: { ...rules?.schemas, ...more.schemas } }
  return { ...rules, ...more, ...schemas }
}
