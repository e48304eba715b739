import { cutTokens, wordsOf } from "./tokens.ts"

/** Returns thinking about the prompt with exactly the given number of tokens. */
export function thinkingText(echo: string, tokens: number): string {
  if (tokens === 0) return ""
  return cutTokens(`I was asked this: ${echo}\n\n${wordsOf(tokens)}`, tokens).text
}
