import type { FromThread, ToThread } from "./innocents-thread.ts"

/** Callers of a vendor that works, on a thread of their own: nothing that happens to others may slow them. */
export class Innocents implements AsyncDisposable {
  /** Where their vendor is. */
  readonly vendorUrl: string
  readonly #thread: Worker

  private constructor(thread: Worker, vendorUrl: string) {
    this.#thread = thread
    this.vendorUrl = vendorUrl
  }

  static async start(): Promise<Innocents> {
    const thread = new Worker(new URL("innocents-thread.ts", import.meta.url))
    const { vendorUrl } = await next(thread)
    return new Innocents(thread, vendorUrl)
  }

  /** They call these nodes from now on, until the end. */
  call(nodes: readonly string[], key: string): void {
    this.#thread.postMessage({ nodes, key } satisfies ToThread)
  }

  /** How long their answers took since this was asked last, milliseconds, and what failed. */
  async take(): Promise<FromThread> {
    this.#thread.postMessage("take" satisfies ToThread)
    return next(this.#thread)
  }

  /** They stop calling. Resolves when all are answered. */
  async stop(): Promise<FromThread> {
    this.#thread.postMessage("stop" satisfies ToThread)
    return next(this.#thread)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#thread.terminate()
  }
}

function next(thread: Worker): Promise<FromThread> {
  return new Promise((resolve, reject) => {
    const hear = ({ data }: MessageEvent<FromThread>): void => {
      thread.removeEventListener("message", hear)
      resolve(data)
    }
    thread.addEventListener("message", hear)
    thread.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true })
  })
}
