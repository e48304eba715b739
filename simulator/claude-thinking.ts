import type { JsonObject } from "./json.ts"

/** A request's options for a Claude model's thinking, at Anthropic or at Bedrock. */
export interface ThinkingOptions {
  readonly kind: "off" | "enabled" | "adaptive"
  /** Tokens that a response spends on thinking. */
  readonly tokens: number
  /** Whether only the signature is sent, without the text. */
  readonly isOmitted: boolean
}

/** Further parameters that the rules of thinking depend on. A parameter that is not set is undefined. */
export interface ThinkingContext {
  readonly limit: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly topK: number | undefined
  readonly isToolForced: boolean
}

/** Describes one message by the kinds of its blocks. */
export interface TurnOutline {
  readonly role: string
  readonly kinds: readonly string[]
}

const EFFORT_TOKENS: Record<string, number> = {
  low: 8,
  medium: 32,
  high: 128,
  xhigh: 256,
  max: 512,
}
const BUDGET_PER_TOKEN = 32
const MAX_TOKENS = 256
const MIN_BUDGET = 1024
const MIN_TOP_P = 0.95

const GUIDE = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
const CONSULT = `Please consult our documentation at ${GUIDE}`

/** Reads `thinking` and `output_config.effort` (docs/contribute/wire/anthropic-messages.md#f2). */
export function readThinking(config: JsonObject, effort: string): ThinkingOptions {
  const isOmitted = config.display === "omitted"
  if (config.type === "adaptive") {
    return { kind: "adaptive", tokens: EFFORT_TOKENS[effort] ?? 128, isOmitted }
  }
  if (config.type !== "enabled") return { kind: "off", tokens: 0, isOmitted }
  const budget = typeof config.budget_tokens === "number" ? config.budget_tokens : 0
  const tokens = Math.min(Math.floor(budget / BUDGET_PER_TOKEN), MAX_TOKENS)
  return { kind: "enabled", tokens, isOmitted }
}

/** Returns Anthropic's error for a thinking configuration; undefined if the configuration is valid. */
export function checkThinking(config: JsonObject, around: ThinkingContext): string | undefined {
  const { type, budget_tokens: budget } = config
  if (type === "enabled") {
    const place = "thinking.enabled.budget_tokens"
    if (budget === undefined) return `${place}: Field required`
    if (!Number.isInteger(budget)) return `${place}: Input should be a valid integer`
    if (Number(budget) < MIN_BUDGET) {
      return `${place}: Input should be greater than or equal to ${MIN_BUDGET}`
    }
    if (around.limit !== undefined && around.limit <= Number(budget)) {
      return `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${CONSULT}#max-tokens-and-context-window-size`
    }
  }
  if (type !== "enabled" && type !== "adaptive") return undefined
  const wrong = checkSampling(around)
  // Anthropic accepts a forced tool with adaptive thinking (recorded).
  if (wrong !== undefined || type === "adaptive" || !around.isToolForced) return wrong
  return "Thinking may not be enabled when tool_choice forces tool use."
}

function checkSampling(around: ThinkingContext): string | undefined {
  const { temperature, topK, topP } = around
  if (temperature !== undefined && temperature !== 1) {
    return `\`temperature\` may only be set to 1 when thinking is enabled. ${CONSULT}#important-considerations-when-using-extended-thinking`
  }
  if (topK !== undefined) {
    return `\`top_k\` must be unset when thinking is enabled. ${CONSULT}#important-considerations-when-using-extended-thinking`
  }
  if (topP !== undefined && topP < MIN_TOP_P) {
    return `\`top_p\` must be greater than or equal to ${MIN_TOP_P} or unset when thinking is enabled. ${CONSULT}#important-considerations-when-using-extended-thinking`
  }
  return undefined
}

/**
 * Returns the error if thinking is `enabled` and the last turn does not begin with a thinking block. A turn that calls
 * tools includes the messages after their results, so thinking is required only at its beginning. The rule does not
 * apply to `adaptive` thinking.
 */
export function checkLeadingThinking(turns: readonly TurnOutline[]): string | undefined {
  const index = lastTurnStart(turns)
  const found = index === undefined ? undefined : turns[index]?.kinds[0]
  if (found === undefined || found === "thinking" || found === "redacted_thinking") return undefined
  return (
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
    `\`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a ` +
    "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We " +
    "recommend you include thinking blocks from previous turns. To avoid this requirement, " +
    `disable \`thinking\`. ${CONSULT}`
  )
}

/** Returns the start index of the assistant's turn that the request continues; undefined for a new turn. */
function lastTurnStart(turns: readonly TurnOutline[]): number | undefined {
  const answersTools = (turn: TurnOutline | undefined) =>
    turn?.role === "user" && turn.kinds.includes("tool_result")
  let start = turns.length - 1
  if (answersTools(turns[start])) start--
  if (turns[start]?.role !== "assistant") return undefined
  while (answersTools(turns[start - 1]) && turns[start - 2]?.role === "assistant") start -= 2
  return start
}
