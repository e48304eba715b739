/** Maximum number of models that work on one answer, by the requested model's name. */
const AGENTS: readonly { readonly models: RegExp; readonly agents: number }[] = [
  // docs.x.ai/developers/model-capabilities/text/multi-agent: 4 agents, or 16 at the efforts high and xhigh.
  { models: /grok-[\d.]+-multi-agent/, agents: 16 },
]

/** Returns the maximum number of models that work on an answer; undefined if the requested model works alone. */
export function agentsOf(model: string): number | undefined {
  return AGENTS.find(({ models }) => models.test(model))?.agents
}
