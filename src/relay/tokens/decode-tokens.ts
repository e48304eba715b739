import { decode } from "gpt-tokenizer/encoding/cl100k_base"

/** The texts of lists of tokens; absent if a token is not in the vocabulary. Tokens are decoded on a worker thread. */
export interface DecodedTokens {
  readonly texts?: readonly string[]
}

export function decodeTokens(inputs: readonly (readonly number[])[]): DecodedTokens {
  try {
    return { texts: inputs.map((tokens) => decode(tokens)) }
  } catch {
    return {}
  }
}
