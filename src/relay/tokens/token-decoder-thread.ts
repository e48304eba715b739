import { decode } from "gpt-tokenizer/encoding/cl100k_base"

export interface DecodeCommand {
  readonly id: number
  readonly inputs: readonly (readonly number[])[]
}

/** `texts` is absent when there is a token that means nothing. */
export interface DecodeAnswer {
  readonly id: number
  readonly texts?: readonly string[]
}

declare const self: Worker

self.addEventListener("message", (message: MessageEvent<DecodeCommand>) => {
  const { id, inputs } = message.data
  self.postMessage(answerTo(id, inputs))
})

function answerTo(id: number, inputs: DecodeCommand["inputs"]): DecodeAnswer {
  try {
    return { id, texts: inputs.map((tokens) => decode(tokens)) }
  } catch {
    return { id }
  }
}
