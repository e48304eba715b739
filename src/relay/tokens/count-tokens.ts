import { countTokens as count, decode, encode } from "gpt-tokenizer/encoding/o200k_base"

export interface CountInput {
  readonly text: string
  /** If present, counts the characters of this many tokens instead of the tokens. */
  readonly head?: number
}

/** A caller's text is plain text even if it looks like a special token. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

/** Counts the tokens of a text, or the characters of its first tokens. Runs on a thread. */
export function countTokens({ text, head }: CountInput): number {
  return head === undefined ? count(text, AS_TEXT) : lengthOfHead(text, head)
}

/** A token may end inside a character: that one is not whole. */
function lengthOfHead(text: string, tokens: number): number {
  const head = decode(encode(text, AS_TEXT).slice(0, tokens))
  let length = 0
  while (length < head.length && head[length] === text[length]) length++
  return length
}

// The first count takes longer than all others.
count("The vocabulary is loaded.")
