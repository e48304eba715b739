import type { Extra } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from "../../canon/json.ts"

/**
 * The log probabilities of a choice's tokens, in the form that chat completions and responses share. Chat completions
 * have them in the choice, as `logprobs.content`, and responses in the text, as `logprobs`.
 */
export function logprobsOf(extra: Extra | undefined): readonly JsonValue[] | undefined {
  const { logprobs, logprobsResult } = extra?.fields ?? {}
  switch (extra?.dialect) {
    case "openai-chat":
      return isJsonObject(logprobs) && Array.isArray(logprobs.content)
        ? logprobs.content
        : undefined
    case "openai-responses":
      return Array.isArray(logprobs) ? logprobs : undefined
    case "gemini":
      return isJsonObject(logprobsResult) ? tokensOfCandidates(logprobsResult) : undefined
    case "cohere-chat":
      return Array.isArray(logprobs) ? logprobs.filter(isJsonObject).map(tokenOfChunk) : undefined
    default:
      return undefined
  }
}

/** Converts Gemini's separate lists of chosen tokens and alternatives. */
function tokensOfCandidates(result: JsonObject): JsonObject[] {
  const others = listAt(result, "topCandidates")
  return listAt(result, "chosenCandidates")
    .filter(isJsonObject)
    .map((chosen, index) => {
      const step = others[index]
      const top = isJsonObject(step) ? listAt(step, "candidates").filter(isJsonObject) : []
      return { ...tokenOfCandidate(chosen), top_logprobs: top.map(tokenOfCandidate) }
    })
}

function tokenOfCandidate(candidate: JsonObject): JsonObject {
  return token(textAt(candidate, "token") ?? "", Number(candidate.logProbability ?? 0))
}

/** Converts a piece of Cohere's text. Its log probability is the sum over its tokens. */
function tokenOfChunk(chunk: JsonObject): JsonObject {
  const logprob = listAt(chunk, "logprobs").reduce((sum: number, each) => sum + Number(each), 0)
  return { ...token(textAt(chunk, "text") ?? "", logprob), top_logprobs: [] }
}

function token(text: string, logprob: number): JsonObject {
  return { token: text, logprob, bytes: [...Buffer.from(text)] }
}
