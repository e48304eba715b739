import { cutTokens, wordsOf } from "./tokens.ts"

/** What an answer thinks before it speaks: of exactly so many tokens, about what was asked. */
export function thinkingText(echo: string, tokens: number): string {
  if (tokens === 0) return ""
  return cutTokens(`I was asked this: ${echo}\n\n${wordsOf(tokens)}`, tokens).text
}
