import type { PlannedChoice } from "../response.ts"
import { base62 } from "../identifiers.ts"
import type { Json } from "../json.ts"
import type { CountedUsage } from "../usage.ts"
import { logprobsOf, type LogprobsOptions } from "./logprobs.ts"

/** The fingerprint in every response. */
export const FINGERPRINT = "fp_5f0c7a51a7"

/** The content of a response. */
export interface ChatResponse {
  /** The model's dated name. */
  readonly model: string
  readonly choices: readonly PlannedChoice[]
  /** The usage; undefined if usage is not reported. */
  readonly usage: CountedUsage | undefined
  readonly logprobs: LogprobsOptions
  /** The service tier. */
  readonly tier: string
}

/** Returns a new `chatcmpl-` id. */
export function completionId(): string {
  return `chatcmpl-${base62(29)}`
}

/** Returns a new id of a tool call. */
export function callId(): string {
  return `call_${base62(24)}`
}

/** Returns the current Unix time in seconds. */
export function createdNow(): number {
  return Math.floor(Date.now() / 1000)
}

/**
 * Returns a choice's `finish_reason`. A call that a named `tool_choice` forced ends with `stop`. OpenAI staff confirm
 * this behavior (community.openai.com, thread 731488).
 */
export function finishReason(choice: PlannedChoice): string {
  switch (choice.ending) {
    case "call":
      return "tool_calls"
    case "length":
      return "length"
    default:
      return "stop"
  }
}

/**
 * Returns the `usage` object (docs/contribute/wire/openai-chat.md#f8). Prompt tokens include cached tokens, and
 * completion tokens include reasoning tokens.
 */
export function usageObject(usage: CountedUsage) {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: usage.audio },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

function messageOf(choice: PlannedChoice) {
  const message = { role: "assistant", content: choice.text, refusal: null, annotations: [] }
  if (choice.calls.length === 0) return message
  const calls = choice.calls.map((call) => ({
    id: callId(),
    type: "function",
    function: { name: call.name, arguments: call.argumentsText },
  }))
  const { role, content, refusal, annotations } = message
  return { role, content, tool_calls: calls, refusal, annotations }
}

/** Returns the JSON text of a response that is not streamed (docs/contribute/wire/openai-chat.md#f3). */
export function resultText(response: ChatResponse): string {
  const choices = response.choices.map((choice, index) => ({
    index,
    message: messageOf(choice),
    logprobs: logprobsOf(choice.text, response.logprobs) satisfies Json,
    finish_reason: finishReason(choice),
  }))
  return JSON.stringify({
    id: completionId(),
    object: "chat.completion",
    created: createdNow(),
    model: response.model,
    choices,
    ...(response.usage === undefined ? {} : { usage: usageObject(response.usage) }),
    service_tier: response.tier,
    system_fingerprint: FINGERPRINT,
  })
}
