import type { Json } from "../json.ts"
import { tokenize } from "../tokens.ts"

/** The request's options for log probabilities. */
export interface LogprobsOptions {
  readonly wanted: boolean
  /** Number of alternatives per token. */
  readonly alternatives: number
}

function describe(token: string, logprob: number) {
  return { token, logprob, bytes: [...Buffer.from(token)] }
}

function describeToken(token: string, alternatives: number): Json {
  // The value is a fixed function of the token. Any value up to zero is suitable.
  const logprob = -(Number(Bun.hash.crc32(token)) % 1000) / 1000
  const others = Array.from({ length: alternatives }, (_, rank) =>
    describe(rank === 0 ? token : `${token}${rank}`, logprob - rank),
  )
  return { ...describe(token, logprob), top_logprobs: others }
}

/** Returns the `logprobs` of a choice or of one of its frames, as recorded; null if they were not requested. */
export function logprobsOf(text: string | null, options: LogprobsOptions): Json {
  if (!options.wanted) return null
  const tokens = tokenize(text ?? "")
  const content = tokens.map((token) => describeToken(token, options.alternatives))
  return { content, refusal: null }
}
