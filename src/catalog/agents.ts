/** Maximum number of models that work on one answer, by the name of the requested model. */
const AGENTS: readonly { readonly models: RegExp; readonly agents: number }[] = [
  // docs.x.ai/developers/model-capabilities/text/multi-agent: 4 agents, or 16 at the efforts high and xhigh.
  { models: /grok-[\d.]+-multi-agent/, agents: 16 },
]

/** Returns the maximum number of models that work on an answer; undefined if only the requested model does. */
export function agentsOf(model: string): number | undefined {
  return AGENTS.find(({ models }) => models.test(model))?.agents
}
