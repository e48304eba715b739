import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

export interface CountOrder {
  readonly id: number
  readonly text: string
}

/** `ready`: the vocabulary is loaded, and counting begins. */
export type CountAnswer = "ready" | { readonly id: number; readonly count: number }

declare const self: Worker

self.addEventListener("message", (message: MessageEvent<CountOrder>) => {
  const { id, text } = message.data
  self.postMessage({ id, count: countTokens(text) } satisfies CountAnswer)
})
// The first count takes longer than all others.
countTokens("The vocabulary is loaded.")
self.postMessage("ready" satisfies CountAnswer)
