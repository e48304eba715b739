import type { Extra } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from "../../canon/json.ts"

/** Maximum alternatives of a token in chat completions and responses. */
const MAX_ALTERNATIVES = 20
/**
 * Maximum characters of a token that gets a list of bytes, which takes many times the memory of the text. Vocabularies
 * have no longer tokens.
 */
const MAX_TOKEN_CHARACTERS = 256
/** Maximum tokens of a choice, far more than models write. Further tokens are left out. */
const MAX_TOKENS = 100_000
/** Maximum alternatives to all tokens of a choice. Further tokens are written without alternatives. */
const MAX_ALL_ALTERNATIVES = 100_000
/**
 * Maximum bytes in all lists of a choice. For further tokens, the list is null, which the specification allows. Their
 * text is complete.
 */
const MAX_LISTED_BYTES = 256 * 1024

/**
 * Returns the log probabilities of a choice's tokens, in the form that chat completions and responses share. Chat
 * completions have them in the choice as `logprobs.content`, and responses in the text as `logprobs`.
 */
export function logprobsOf(extra: Extra | undefined): readonly JsonValue[] | undefined {
  const { logprobs, logprobsResult } = extra?.fields ?? {}
  switch (extra?.dialect) {
    case "openai-chat":
      return firstTokens(isJsonObject(logprobs) ? logprobs.content : undefined)
    case "openai-responses":
      return firstTokens(logprobs)
    case "gemini":
      return isJsonObject(logprobsResult) ? new Tokens().ofCandidates(logprobsResult) : undefined
    case "cohere-chat":
      return Array.isArray(logprobs) ? new Tokens().ofChunks(logprobs) : undefined
    default:
      return undefined
  }
}

function firstTokens(tokens: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (!Array.isArray(tokens)) return undefined
  return tokens.length > MAX_TOKENS ? tokens.slice(0, MAX_TOKENS) : tokens
}

/**
 * Converts the tokens of one choice. A token without text is left out, because a response may have millions of them and
 * each takes a lot of memory when it is converted.
 */
class Tokens {
  readonly #tokens: JsonObject[] = []
  #listedBytes = 0
  #alternatives = 0

  /** Converts Gemini's separate lists of chosen tokens and alternatives. */
  ofCandidates(result: JsonObject): JsonObject[] {
    const others = listAt(result, "topCandidates")
    const all = listAt(result, "chosenCandidates").slice(0, MAX_TOKENS)
    for (const [index, chosen] of all.entries()) {
      const token = this.#ofCandidate(chosen)
      if (token === undefined) continue
      token.top_logprobs = this.#alternativesOf(others[index])
      this.#tokens.push(token)
    }
    return this.#tokens
  }

  /**
   * Converts the log probabilities of chunks of Cohere's text. The log probability of a chunk is the sum over its
   * tokens.
   */
  ofChunks(chunks: readonly JsonValue[]): JsonObject[] {
    for (const chunk of chunks.slice(0, MAX_TOKENS)) {
      if (!isJsonObject(chunk)) continue
      const text = textAt(chunk, "text")
      if (text === undefined) continue
      const each = listAt(chunk, "logprobs")
      const logprob = each.reduce((sum: number, one) => sum + Number(one), 0)
      this.#tokens.push({ ...this.#token(text, logprob), top_logprobs: [] })
    }
    return this.#tokens
  }

  #alternativesOf(step: JsonValue | undefined): JsonObject[] {
    if (!isJsonObject(step) || this.#alternatives >= MAX_ALL_ALTERNATIVES) return []
    const top = listAt(step, "candidates").slice(0, MAX_ALTERNATIVES)
    const tokens = top.map((each) => this.#ofCandidate(each)).filter((each) => each !== undefined)
    this.#alternatives += tokens.length
    return tokens
  }

  #ofCandidate(candidate: JsonValue | undefined): JsonObject | undefined {
    if (!isJsonObject(candidate)) return undefined
    const text = textAt(candidate, "token")
    return text === undefined ? undefined : this.#token(text, Number(candidate.logProbability ?? 0))
  }

  #token(text: string, logprob: number): JsonObject {
    return { token: text, logprob, bytes: this.#bytesOf(text) }
  }

  #bytesOf(text: string): number[] | null {
    const isListed = text.length <= MAX_TOKEN_CHARACTERS && this.#listedBytes < MAX_LISTED_BYTES
    if (!isListed) return null
    this.#listedBytes += text.length
    return bytesOf(text)
  }
}

function bytesOf(text: string): number[] {
  const bytes: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80) return [...Buffer.from(text)]
    bytes.push(code)
  }
  return bytes
}
