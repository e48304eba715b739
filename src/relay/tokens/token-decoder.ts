import { threadAddress } from "../../runtime.ts"
import type { DecodeAnswer, DecodeCommand } from "./token-decoder-thread.ts"

type Texts = readonly string[] | undefined

/**
 * Turns tokens into text on a thread of its own, started when first needed: few callers send tokens, and
 * the vocabulary takes time to load and memory to keep.
 */
export class TokenDecoder implements Disposable {
  #thread: Worker | undefined
  #last = 0
  readonly #waiting = new Map<number, (texts: Texts) => void>()

  /** The texts of tokens in OpenAI's vocabulary `cl100k_base`; undefined when one of them means nothing. */
  decode(inputs: DecodeCommand["inputs"]): Promise<Texts> {
    const thread = (this.#thread ??= this.#start())
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      thread.postMessage({ id, inputs } satisfies DecodeCommand)
    })
  }

  [Symbol.dispose](): void {
    this.#thread?.terminate()
    this.#thread = undefined
    for (const id of this.#waiting.keys()) this.#answer({ id })
  }

  #start(): Worker {
    const thread = new Worker(threadAddress("relay/tokens/token-decoder-thread.ts"))
    thread.addEventListener("message", ({ data }: MessageEvent<DecodeAnswer>) => this.#answer(data))
    thread.addEventListener("error", () => this[Symbol.dispose]())
    thread.unref()
    return thread
  }

  #answer({ id, texts }: DecodeAnswer): void {
    this.#waiting.get(id)?.(texts)
    this.#waiting.delete(id)
  }
}
