import { cutTokens, wordsOf } from "./tokens.ts"

/** Returns the thinking of an answer: exactly this many tokens, about the prompt. */
export function thinkingText(echo: string, tokens: number): string {
  if (tokens === 0) return ""
  return cutTokens(`I was asked this: ${echo}\n\n${wordsOf(tokens)}`, tokens).text
}
