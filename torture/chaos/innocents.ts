import type { FromThread, ToThread } from "./innocents-thread.ts"

/** Callers of a working vendor on a separate thread. Faults of other vendors must not delay these callers. */
export class Innocents implements AsyncDisposable {
  /** The address of the working vendor. */
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

  /** Makes the callers call the given nodes from now on. */
  call(nodes: readonly string[], key: string): void {
    this.#thread.postMessage({ nodes, key } satisfies ToThread)
  }

  /** Returns the durations in milliseconds and the failures since the last call to this method. */
  async take(): Promise<FromThread> {
    this.#thread.postMessage("take" satisfies ToThread)
    return next(this.#thread)
  }

  /** Stops the callers. Resolves when all requests have been answered. */
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
