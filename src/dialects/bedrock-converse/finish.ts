import { type Finish, otherFinish } from "../shared/finish.ts"

const FINISH_REASONS: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["end_turn", { reason: "stop" }],
  ["tool_use", { reason: "tool-calls" }],
  ["max_tokens", { reason: "length" }],
  ["stop_sequence", { reason: "stop", raw: "stop_sequence" }],
  ["guardrail_intervened", { reason: "content-filter", raw: "guardrail_intervened" }],
  ["content_filtered", { reason: "content-filter", raw: "content_filtered" }],
  ["model_context_window_exceeded", { reason: "length", raw: "model_context_window_exceeded" }],
])

/**
 * Decodes the reason why a response ended (docs/contribute/wire/bedrock-converse.md#f4 and
 * docs/contribute/wire/README.md#f5). A response that stopped for a tool but has no call that the caller can see has
 * ended normally.
 */
export function decodeFinish(word: string, hasToolCalls: boolean): Finish {
  const known = FINISH_REASONS.get(word)
  if (known === undefined) return otherFinish(word)
  if (word === "tool_use" && !hasToolCalls) return { reason: "stop", raw: word }
  return word === "end_turn" && hasToolCalls ? { reason: "tool-calls", raw: word } : known
}
