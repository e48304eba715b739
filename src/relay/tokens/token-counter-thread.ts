import { countTokens, decode, encode } from "gpt-tokenizer/encoding/o200k_base"

export interface CountCommand {
  readonly id: number
  readonly text: string
  /** Present: not the tokens are asked for, but how many characters so many of them make. */
  readonly head?: number
}

/** `ready`: the vocabulary is loaded, and counting begins. */
export type CountAnswer = "ready" | { readonly id: number; readonly count: number }

/** What a caller writes is text, also where it looks like a mark of the vocabulary. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

declare const self: Worker

self.addEventListener("message", (message: MessageEvent<CountCommand>) => {
  const { id, text, head } = message.data
  const count = head === undefined ? countTokens(text, AS_TEXT) : lengthOfHead(text, head)
  self.postMessage({ id, count } satisfies CountAnswer)
})

/** A token may end inside a character: that one is not whole. */
function lengthOfHead(text: string, tokens: number): number {
  const head = decode(encode(text, AS_TEXT).slice(0, tokens))
  let length = 0
  while (length < head.length && head[length] === text[length]) length++
  return length
}

// The first count takes longer than all others.
countTokens("The vocabulary is loaded.")
self.postMessage("ready" satisfies CountAnswer)
