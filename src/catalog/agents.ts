/** The most models that work on one answer, by the name of the model that a caller asks for. */
const AGENTS: readonly { readonly models: RegExp; readonly agents: number }[] = [
  // docs.x.ai/developers/model-capabilities/text/multi-agent: 4 agents, or 16 at the efforts high and xhigh.
  { models: /grok-[\d.]+-multi-agent/, agents: 16 },
]

/** How many models the vendor runs for an answer at most; undefined: only the one that was asked for. */
export function agentsOf(model: string): number | undefined {
  return AGENTS.find(({ models }) => models.test(model))?.agents
}
