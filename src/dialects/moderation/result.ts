import type { JsonObject } from "../../canon/json.ts"
import type { ModerationVerdict } from "../../canon/moderation.ts"
import { totalInput, type Usage } from "../../canon/usage.ts"

/** The response to a moderation request: OpenAI's, with the usage, as Mistral returns it. */
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
