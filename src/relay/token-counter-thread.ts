import { countTokens } from "gpt-tokenizer/encoding/o200k_base"

export interface CountOrder {
  readonly id: number
  readonly text: string
}

export interface CountAnswer {
  readonly id: number
  readonly count: number
}

declare const self: Worker

self.addEventListener("message", (message: MessageEvent<CountOrder>) => {
  const { id, text } = message.data
  self.postMessage({ id, count: countTokens(text) })
})
