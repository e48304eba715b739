import { threadAddress } from "../runtime.ts"
import type { CountAnswer } from "./token-counter-thread.ts"

/** No known tokenizer takes this long on honest text; some take minutes on a long run of one letter. */
const PATIENCE = 1_000
/** Longer texts are not worth counting: their bytes are bound enough. Characters. */
const LONGEST = 400_000

/**
 * Counts tokens on a thread of its own, started when first needed: most requests never need it, and
 * a text made to choke a tokenizer chokes only that thread, which is then replaced.
 */
export class TokenCounter implements Disposable {
  #thread: Worker | undefined
  #last = 0
  readonly #waiting = new Map<number, (count: number | undefined) => void>()

  /** Tokens of a text in OpenAI's o200k vocabulary; undefined when it could not be counted in time. */
  count(text: string): Promise<number | undefined> {
    if (text === "") return Promise.resolve(0)
    if (text.length > LONGEST) return Promise.resolve(undefined)
    const thread = this.#start()
    const id = ++this.#last
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#replace(), PATIENCE)
      this.#waiting.set(id, (count) => {
        clearTimeout(timer)
        resolve(count)
      })
      thread.postMessage({ id, text })
    })
  }

  [Symbol.dispose](): void {
    this.#replace()
  }

  #start(): Worker {
    if (this.#thread) return this.#thread
    const thread = new Worker(threadAddress("relay/token-counter-thread.ts"))
    thread.addEventListener("message", (message: MessageEvent<CountAnswer>) => {
      const { id, count } = message.data
      this.#waiting.get(id)?.(count)
      this.#waiting.delete(id)
    })
    thread.addEventListener("error", () => this.#replace())
    thread.unref()
    this.#thread = thread
    return thread
  }

  #replace(): void {
    this.#thread?.terminate()
    this.#thread = undefined
    for (const answer of this.#waiting.values()) answer(undefined)
    this.#waiting.clear()
  }
}
