import type { ModelFacts } from "./facts.ts"

/** Owners of models that hide their reasoning or only show summaries. */
const HIDING_OWNERS: ReadonlySet<string> = new Set([
  "amazon",
  "google",
  "openai",
  "perplexity",
  "xai",
])
/** Matches models of these owners with open weights, which always show their reasoning. */
const OPEN_WEIGHTS = /gpt-oss|gemma/i
/** Matches models of these owners that hide their reasoning, for models without known facts. */
const HIDING_NAMES =
  /(?:^|[/.])(?:o[134](?:-|$)|gpt-[5-9](?!(?:\.\d+)?-chat)|gemini-(?!1|2\.0|.*image)|grok-(?:[4-9]|build|code)(?!.*non-reasoning)|(?:sonar-)?deep-research|nova-2)/i

/**
 * Whether a model's responses do not contain its full reasoning, so that only the provider's usage reports the
 * reasoning tokens.
 * @param model the provider's name for the model.
 * @param facts absent if the model is unknown.
 */
export function hidesReasoning(model: string, facts: ModelFacts | undefined): boolean {
  if (facts === undefined) return HIDING_NAMES.test(model)
  const { reasoning, owner = "" } = facts
  return reasoning === true && HIDING_OWNERS.has(owner) && !OPEN_WEIGHTS.test(model)
}

/** Maximum number of models that work on one response, by the requested model's name. */
const AGENTS: readonly { readonly models: RegExp; readonly agents: number }[] = [
  // docs.x.ai/developers/model-capabilities/text/multi-agent: 4 agents, or 16 at the efforts high and xhigh.
  { models: /grok-[\d.]+-multi-agent/, agents: 16 },
]

/** Returns the maximum number of models that work on a response; undefined if the requested model works alone. */
export function agentsOf(model: string): number | undefined {
  return AGENTS.find(({ models }) => models.test(model))?.agents
}
