import type { PlannedChoice } from "./response.ts"
import type { Fault } from "./faults.ts"
import type { Prompt } from "./prompt.ts"
import type { PromptCache } from "./prompt-cache.ts"

/** Counted tokens, before conversion to a wire format. Prompt tokens include cached tokens and audio tokens. */
export interface CountedUsage {
  readonly prompt: number
  readonly cached: number
  readonly audio: number
  /** Completion tokens, including reasoning tokens. */
  readonly completion: number
  readonly reasoning: number
}

/** Tokens of each message in addition to its content. */
export const MESSAGE_TOKENS = 3
const REPLY_TOKENS = 3

/**
 * Returns the tokens of a response; undefined if the fault is missing usage. `cache` is undefined for vendors that
 * cache only marked text.
 */
export function countUsage(
  prompt: Prompt,
  choices: readonly PlannedChoice[],
  cache: PromptCache | undefined,
  fault: Fault | undefined,
): CountedUsage | undefined {
  if (fault?.name === "no-usage") return undefined
  if (fault?.name === "wrong-usage") {
    return { prompt: 0, cached: 0, audio: 0, completion: 0, reasoning: 0 }
  }
  const counted = { ...countPrompt(prompt, cache), completion: 0, reasoning: 0 }
  for (const choice of choices) {
    counted.completion += choice.tokens + choice.reasoningTokens
    counted.reasoning += choice.reasoningTokens
  }
  if (fault?.name === "huge-usage") counted.completion += 10_000_000
  return counted
}

function countPrompt(prompt: Prompt, cache: PromptCache | undefined) {
  let total = REPLY_TOKENS + prompt.toolTokens
  let audio = 0
  for (const message of prompt.messages) {
    total += MESSAGE_TOKENS + message.textTokens + message.mediaTokens + message.audioTokens
    audio += message.audioTokens
  }
  return { prompt: total, cached: cache?.look(prompt.messages, total) ?? 0, audio }
}
