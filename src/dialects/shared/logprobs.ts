import type { Extra } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from "../../canon/json.ts"

/** Maximum alternatives to a token in chat completions and responses. */
const MAX_ALTERNATIVES = 20
/**
 * Longer tokens get no list of bytes, which takes many times the memory of the text. Vocabularies have no such tokens.
 */
const MAX_TOKEN_CHARACTERS = 256
/** Maximum bytes in all lists of a choice. Further tokens get null, as the field allows; their text is complete. */
const MAX_LISTED_BYTES = 256 * 1024

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
      return isJsonObject(logprobsResult) ? new Tokens().ofCandidates(logprobsResult) : undefined
    case "cohere-chat":
      return Array.isArray(logprobs) ? new Tokens().ofChunks(logprobs) : undefined
    default:
      return undefined
  }
}

/** Converts the tokens of one choice. */
class Tokens {
  #listedBytes = 0

  /** Converts Gemini's separate lists of chosen tokens and alternatives. */
  ofCandidates(result: JsonObject): JsonObject[] {
    const others = listAt(result, "topCandidates")
    return listAt(result, "chosenCandidates")
      .filter(isJsonObject)
      .map((chosen, index) => {
        const step = others[index]
        const top = isJsonObject(step) ? listAt(step, "candidates").slice(0, MAX_ALTERNATIVES) : []
        const alternatives = top.filter(isJsonObject).map((each) => this.#ofCandidate(each))
        return { ...this.#ofCandidate(chosen), top_logprobs: alternatives }
      })
  }

  /** Converts pieces of Cohere's text. The log probability of a piece is the sum over its tokens. */
  ofChunks(chunks: readonly JsonValue[]): JsonObject[] {
    return chunks.filter(isJsonObject).map((chunk) => {
      const each = listAt(chunk, "logprobs")
      const logprob = each.reduce((sum: number, one) => sum + Number(one), 0)
      return { ...this.#token(textAt(chunk, "text") ?? "", logprob), top_logprobs: [] }
    })
  }

  #ofCandidate(candidate: JsonObject): JsonObject {
    return this.#token(textAt(candidate, "token") ?? "", Number(candidate.logProbability ?? 0))
  }

  #token(text: string, logprob: number): JsonObject {
    return { token: text, logprob, bytes: this.#bytesOf(text) }
  }

  #bytesOf(text: string): number[] | null {
    const isListed = text.length <= MAX_TOKEN_CHARACTERS && this.#listedBytes < MAX_LISTED_BYTES
    if (!isListed) return null
    this.#listedBytes += text.length
    return [...Buffer.from(text)]
  }
}
