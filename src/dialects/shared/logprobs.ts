import type { Extra } from "../../canon/extra.ts"
import { isJsonObject, type JsonValue } from "../../canon/json.ts"

/**
 * The log probabilities of a choice's tokens, in the form that chat completions and responses share. Chat completions
 * have them in the choice, as `logprobs.content`, and responses in the text, as `logprobs`.
 */
export function logprobsOf(extra: Extra | undefined): readonly JsonValue[] | undefined {
  const logprobs = extra?.fields.logprobs
  switch (extra?.dialect) {
    case "openai-chat":
      return isJsonObject(logprobs) && Array.isArray(logprobs.content)
        ? logprobs.content
        : undefined
    case "openai-responses":
      return Array.isArray(logprobs) ? logprobs : undefined
    default:
      return undefined
  }
}
