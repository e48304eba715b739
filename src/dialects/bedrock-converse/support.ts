import type { Feature, Support } from "../../canon/features.ts"

/**
 * The support of each feature by the models that accept the most: Claude from 4.5 to 4.6. The limits of others
 * are in `quirks.ts`, and are reported with each request.
 */
export const SUPPORT: Readonly<Record<Feature, Support>> = {
  max_tokens: "carried",
  // It ends at 1.
  temperature: "approximated",
  top_p: "carried",
  top_k: "carried",
  stop: "carried",
  seed: "dropped",
  n: "approximated",
  presence_penalty: "dropped",
  frequency_penalty: "dropped",
  logprobs: "dropped",
  tools: "carried",
  "tools.strict": "carried",
  "tools.grammar": "approximated",
  tool_choice: "carried",
  parallel_tool_calls: "carried",
  "tool_result.media": "carried",
  "tool_result.failed": "carried",
  json_object: "approximated",
  json_schema: "carried",
  reasoning_effort: "carried",
  reasoning_budget: "carried",
  reasoning: "dropped",
  "reasoning.signature": "carried",
  system: "carried",
  "system.position": "approximated",
  name: "dropped",
  "image.url": "approximated",
  "image.data": "carried",
  "image.detail": "dropped",
  audio: "carried",
  "file.url": "approximated",
  "file.data": "carried",
  refusal: "approximated",
  cache_control: "carried",
  prompt_cache_key: "dropped",
  verbosity: "dropped",
  user: "dropped",
  safety_identifier: "dropped",
  metadata: "carried",
  service_tier: "carried",
}
