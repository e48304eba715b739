import type { ModelFacts } from "./facts.ts"

/** Whose models do not show their reasoning, or only summaries of it. */
const HIDING_OWNERS: ReadonlySet<string> = new Set([
  "amazon",
  "google",
  "openai",
  "perplexity",
  "xai",
])
/** Their models with open weights, which show it wherever they run. */
const OPEN_WEIGHTS = /gpt-oss|gemma/i
/** Names of such models, for those that are in no list of models. */
const HIDING_NAMES =
  /(?:^|[/.])(?:o[134](?:-|$)|gpt-[5-9](?!(?:\.\d+)?-chat)|gemini-(?!1|2\.0|.*image)|grok-(?:[4-9]|build|code)(?!.*non-reasoning)|(?:sonar-)?deep-research|nova-2)/i

/**
 * Whether a model reasons and its answers do not show that reasoning in full, so that only the usage of its provider
 * says how much there was.
 * @param model the provider's own name for it.
 * @param facts absent: the model is in no list.
 */
export function hidesReasoning(model: string, facts: ModelFacts | undefined): boolean {
  if (facts === undefined) return HIDING_NAMES.test(model)
  const { reasoning, owner = "" } = facts
  return reasoning === true && HIDING_OWNERS.has(owner) && !OPEN_WEIGHTS.test(model)
}
