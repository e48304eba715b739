import type { JsonObject } from "../../canon/json.ts"
import type { ModerationVerdict } from "../../canon/moderation.ts"
import { totalInput, type Usage } from "../../canon/usage.ts"

/** Encodes the response to a moderation request in OpenAI's format, with the usage that Mistral also returns. */
export function encodeModeration(
  { id, model }: { readonly id: string; readonly model: string },
  verdicts: readonly ModerationVerdict[],
  usage: Usage,
): JsonObject {
  const tokens = totalInput(usage)
  return {
    id,
    model,
    results: [...verdicts],
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
