import type { ResponseLimits } from "../../canon/dialect.ts"
import type { Feature, Support } from "../../canon/features.ts"

/**
 * Cohere's reference for `/v2/chat` allows five stop sequences. A response reports that a stop sequence ended it, but
 * not which one.
 */
export const RESPONSE_LIMITS: ResponseLimits = {
  choices: 1,
  stops: 5,
  cutsStops: true,
  blankStops: true,
  reportedStops: 1,
  minOutput: 1,
}

/**
 * Cohere's support for each feature (docs/contribute/wire/cohere-chat.md#f1, Cohere's reference for `/v2/chat`). If
 * Cohere accepts a smaller range than the caller's dialect, a loss is reported for requests that exceed it.
 */
export const SUPPORT: Readonly<Record<Feature, Support>> = Object.freeze({
  max_tokens: "carried",
  temperature: "carried",
  top_p: "carried",
  top_k: "carried",
  stop: "carried",
  seed: "carried",
  n: "approximated",
  presence_penalty: "carried",
  frequency_penalty: "carried",
  // Cohere reports no alternative tokens, which is a loss if they are requested.
  logprobs: "approximated",
  tools: "carried",
  "tools.strict": "carried",
  "tools.grammar": "approximated",
  // The choice of one tool is emulated: only that tool is offered, and a call is required.
  tool_choice: "approximated",
  parallel_tool_calls: "dropped",
  "tool_result.media": "approximated",
  "tool_result.failed": "dropped",
  json_object: "carried",
  json_schema: "carried",
  reasoning_effort: "carried",
  reasoning_budget: "carried",
  reasoning: "carried",
  "reasoning.signature": "dropped",
  system: "carried",
  "system.position": "approximated",
  name: "dropped",
  "image.url": "carried",
  "image.data": "carried",
  "image.detail": "carried",
  audio: "dropped",
  "output.image": "dropped",
  image_config: "dropped",
  "output.audio": "dropped",
  "assistant.image": "approximated",
  "file.url": "dropped",
  "file.data": "dropped",
  refusal: "approximated",
  cache_control: "dropped",
  prompt_cache_key: "dropped",
  verbosity: "dropped",
  user: "dropped",
  safety_identifier: "dropped",
  metadata: "dropped",
  service_tier: "dropped",
})
