import { countTokens as count, decode, encode } from "gpt-tokenizer/encoding/o200k_base"

export interface CountInput {
  readonly text: string
  /** The number of tokens whose characters are counted; if absent, the tokens of the whole text are counted. */
  readonly head?: number
}

/** Treats a caller's text as plain text even if it looks like a special token. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

/** Counts the tokens of a text, or the characters of its first tokens. It runs on a worker thread. */
export function countTokens({ text, head }: CountInput): number {
  return head === undefined ? count(text, AS_TEXT) : lengthOfHead(text, head)
}

/** Returns the number of complete characters in the first tokens. A token may end inside a character. */
function lengthOfHead(text: string, tokens: number): number {
  const head = decode(encode(text, AS_TEXT).slice(0, tokens))
  let length = 0
  while (length < head.length && head[length] === text[length]) length++
  return length
}

// Loads the tokenizer when the thread starts, because the first count takes longer than all others.
count("The vocabulary is loaded.")
