import { threadAddress } from "../../runtime.ts"
import type { CountAnswer, CountCommand } from "./token-counter-thread.ts"

/** No known tokenizer takes this long on honest text; some take minutes on a long run of one letter. */
const PATIENCE = 1_000
/** How long the thread may take to load its vocabulary: a second or two on a busy machine. */
const LOADING_PATIENCE = 15_000
/** Longer texts are not worth counting: their bytes are bound enough. Characters. */
const LONGEST = 400_000

interface Waiting {
  timer: ReturnType<typeof setTimeout>
  resolve(count: number | undefined): void
}

/**
 * Counts tokens on a thread of its own, started when first needed: most requests never need it, and
 * a text made to choke a tokenizer chokes only that thread, which is then replaced.
 */
export class TokenCounter implements Disposable {
  #thread: Worker | undefined
  #isReady = false
  #last = 0
  readonly #waiting = new Map<number, Waiting>()
  readonly #patience: number

  /** @param patience milliseconds that a text may take to count. */
  constructor(patience = PATIENCE) {
    this.#patience = patience
  }

  /** Tokens of a text in OpenAI's o200k vocabulary; undefined when it could not be counted in time. */
  count(text: string): Promise<number | undefined> {
    return this.#ask({ text })
  }

  /** How many characters of a text its first tokens make; undefined when that could not be counted in time. */
  head(text: string, tokens: number): Promise<number | undefined> {
    return this.#ask({ text, head: tokens })
  }

  [Symbol.dispose](): void {
    this.#replace()
  }

  #ask(input: Omit<CountCommand, "id">): Promise<number | undefined> {
    if (input.text === "") return Promise.resolve(0)
    if (input.text.length > LONGEST) return Promise.resolve(undefined)
    const thread = (this.#thread ??= this.#start())
    const id = ++this.#last
    return new Promise((resolve) => {
      const timer = this.#timer(this.#isReady ? this.#patience : LOADING_PATIENCE)
      this.#waiting.set(id, { timer, resolve })
      thread.postMessage({ id, ...input } satisfies CountCommand)
    })
  }

  #start(): Worker {
    const thread = new Worker(threadAddress("relay/tokens/token-counter-thread.ts"))
    thread.addEventListener("message", ({ data }: MessageEvent<CountAnswer>) => {
      if (thread !== this.#thread) return
      if (data === "ready") this.#onReady()
      else this.#answer(data.id, data.count)
    })
    thread.addEventListener("error", () => {
      if (thread === this.#thread) this.#replace()
    })
    thread.unref()
    return thread
  }

  /** Only now does the time of those run who came while it loaded. */
  #onReady(): void {
    this.#isReady = true
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer)
      waiting.timer = this.#timer(this.#patience)
    }
  }

  #timer(milliseconds: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#replace(), milliseconds)
  }

  #answer(id: number, count: number | undefined): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    clearTimeout(waiting.timer)
    waiting.resolve(count)
  }

  #replace(): void {
    this.#thread?.terminate()
    this.#thread = undefined
    this.#isReady = false
    for (const id of this.#waiting.keys()) this.#answer(id, undefined)
  }
}
