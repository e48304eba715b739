import type { PlannedChoice } from "../response.ts"
import { base62 } from "../identifiers.ts"
import type { Prompt } from "../prompt.ts"
import { thinkingText } from "../thinking-text.ts"
import { tokenize } from "../tokens.ts"
import type { CountedUsage } from "../usage.ts"
import type { ToolOutput } from "./request.ts"

/**
 * Tokens that Cohere adds to every prompt. The model reads them, and they are not billed
 * (docs/contribute/wire/cohere-chat.md#f5).
 */
const PREAMBLE_TOKENS = 495
/** Tokens that end a response. The model writes them, and they are not billed. */
const END_TOKENS = 3

/** The content of a response, in Cohere's terms. */
export interface CohereResponse {
  readonly id: string
  readonly thinking: string
  /** The text in which the model announces its calls. */
  readonly plan: string
  readonly calls: readonly CohereCall[]
  /** Null when the response calls tools instead of returning text. */
  readonly text: string | null
  readonly citations: readonly object[]
  /** Whether log probabilities are requested. */
  readonly hasLogprobs: boolean
  readonly finish: string
  /** The usage; undefined if usage is not reported. */
  readonly usage: object | undefined
}

export interface CohereCall {
  readonly id: string
  readonly name: string
  /** The arguments as JSON text; empty for a tool without arguments. */
  readonly argumentsText: string
}

/** Writes a planned response in Cohere's form. */
export function composeResponse(
  prompt: Prompt,
  choice: PlannedChoice,
  outputs: readonly ToolOutput[],
  { counted, hasLogprobs }: { counted: CountedUsage | undefined; hasLogprobs: boolean },
): CohereResponse {
  const thinking = thinkingText(prompt.echo, choice.reasoningTokens)
  const isCalling = choice.calls.length > 0
  const names = choice.calls.map((call) => call.name).join(" and ")
  return {
    id: crypto.randomUUID(),
    thinking,
    // If the model thinks, it announces its calls in the thinking and not in the plan.
    plan: isCalling && thinking === "" ? `I will use ${names}.` : "",
    calls: choice.calls.map(({ name, argumentsText }) => ({
      id: `${name}_${base62(12).toLowerCase()}`,
      name,
      argumentsText: argumentsText === "{}" ? "" : argumentsText,
    })),
    text: choice.text,
    citations: citationsOf(choice.text ?? "", outputs, thinking === "" ? 0 : 1),
    hasLogprobs,
    finish: finishReason(choice),
    usage: counted === undefined ? undefined : usageObject(prompt, counted),
  }
}

function finishReason(choice: PlannedChoice): string {
  if (choice.stoppedBy !== null) return "STOP_SEQUENCE"
  switch (choice.ending) {
    case "length":
      return "MAX_TOKENS"
    case "stop":
      return "COMPLETE"
    default:
      return "TOOL_CALL"
  }
}

/** Returns the citations of a response that repeats a tool's result (recorded). */
function citationsOf(text: string, outputs: readonly ToolOutput[], block: number): object[] {
  const citations: object[] = []
  let from = 0
  for (const { callId, text: said } of outputs) {
    const start = said === "" ? -1 : text.indexOf(said, from)
    if (start === -1) continue
    from = start + said.length
    const source = { type: "tool", id: `${callId}:0`, tool_output: { content: said } }
    const place = block === 0 ? {} : { content_index: block }
    const cited = { start, end: from, text: said, sources: [source] }
    citations.push({ ...cited, ...place, type: "TEXT_CONTENT" })
  }
  return citations
}

/** Returns the `usage` object. Tokens of images are counted separately from other input tokens (recorded). */
function usageObject(prompt: Prompt, counted: CountedUsage): object {
  const isNothing = counted.prompt === 0
  const images = isNothing
    ? 0
    : prompt.messages.reduce((sum, { mediaTokens }) => sum + mediaTokens, 0)
  return {
    billed_units: { input_tokens: counted.prompt, output_tokens: counted.completion },
    tokens: {
      input_tokens: isNothing ? 0 : counted.prompt - images + PREAMBLE_TOKENS,
      output_tokens: isNothing ? 0 : counted.completion + END_TOKENS,
      ...(counted.reasoning > 0 ? { reasoning_tokens: counted.reasoning } : {}),
      ...(images > 0 ? { image_tokens: images } : {}),
    },
    cached_tokens: counted.cached,
  }
}

/** Returns the log probabilities of a piece of text, with one token per character. */
export function logprobItem(text: string): object {
  const tokens = [...text].map((each) => each.codePointAt(0) ?? 0)
  return { text, token_ids: tokens, logprobs: tokens.map((token) => -(token % 16) / 16) }
}

/** Returns the JSON text of a response that is not streamed (docs/contribute/wire/cohere-chat.md#f2). */
export function resultText(response: CohereResponse): string {
  const { id, thinking, plan, calls, text, citations, hasLogprobs, finish, usage } = response
  const content = [
    ...(thinking === "" ? [] : [{ type: "thinking", thinking }]),
    ...(text === null ? [] : [{ type: "text", text }]),
  ]
  return JSON.stringify({
    id,
    message: {
      role: "assistant",
      ...(content.length === 0 ? {} : { content }),
      ...(plan === "" ? {} : { tool_plan: plan }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(callObject) }),
      ...(citations.length === 0 ? {} : { citations }),
    },
    finish_reason: finish,
    ...(hasLogprobs && text !== null && { logprobs: tokenize(text).map(logprobItem) }),
    ...(usage === undefined ? {} : { usage }),
  })
}

/** Returns a complete call. If the call has no arguments, they are `null` (recorded). */
function callObject({ id, name, argumentsText }: CohereCall): object {
  return { id, type: "function", function: { name, arguments: argumentsText || "null" } }
}
