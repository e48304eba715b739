import type { ModelFacts } from "./facts.ts"

/** Owners of models that hide their reasoning or show only summaries. */
const HIDING_OWNERS: ReadonlySet<string> = new Set([
  "amazon",
  "google",
  "openai",
  "perplexity",
  "xai",
])
/** Matches their models with open weights, which show reasoning wherever they run. */
const OPEN_WEIGHTS = /gpt-oss|gemma/i
/** Matches names of such models, for models outside the lists. */
const HIDING_NAMES =
  /(?:^|[/.])(?:o[134](?:-|$)|gpt-[5-9](?!(?:\.\d+)?-chat)|gemini-(?!1|2\.0|.*image)|grok-(?:[4-9]|build|code)(?!.*non-reasoning)|(?:sonar-)?deep-research|nova-2)/i

/**
 * Returns whether a model's responses do not contain its full reasoning, so that only the provider's usage reports its
 * amount.
 * @param model the provider's name of the model.
 * @param facts absent for models outside the lists.
 */
export function hidesReasoning(model: string, facts: ModelFacts | undefined): boolean {
  if (facts === undefined) return HIDING_NAMES.test(model)
  const { reasoning, owner = "" } = facts
  return reasoning === true && HIDING_OWNERS.has(owner) && !OPEN_WEIGHTS.test(model)
}
