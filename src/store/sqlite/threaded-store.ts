import { threadAddress } from "../../runtime.ts"
import { STEPS, type Store, StoreError } from "../store.ts"
import type { StoreAnswer } from "./thread.ts"

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * The SQLite store on a thread of its own: waiting for the disk never stops the gateway's thread.
 * @throws Error when the file cannot be opened.
 */
export async function openThreadedStore(path: string): Promise<Store> {
  const thread = new StoreThread()
  try {
    await thread.call("open", [path])
  } catch (error) {
    thread.end("the store could not be opened")
    throw error
  }
  const methods = STEPS.map((method) => [
    method,
    (...parameters: readonly unknown[]) => thread.call(method, parameters),
  ])
  return {
    ...(Object.fromEntries(methods) as Omit<Store, typeof Symbol.asyncDispose>),
    async [Symbol.asyncDispose]() {
      if (thread.hasEnded) return
      await thread.call("close", [])
      thread.end("the store is closed")
    },
  }
}

/** Calls that wait for the thread's answers. Once it has ended, for whatever reason, all of them fail. */
class StoreThread {
  readonly #worker = new Worker(threadAddress("store/sqlite/thread.ts"))
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #end: string | undefined

  constructor() {
    this.#worker.addEventListener("message", (message: MessageEvent<StoreAnswer>) =>
      this.#answered(message.data),
    )
    this.#worker.addEventListener("error", (event) =>
      this.end(`the store's thread failed: ${event.message}`),
    )
    this.#worker.addEventListener("close", () => this.end("the store's thread has ended"))
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(new Error(this.#end))
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ id, method, parameters })
      this.#waiting.set(id, { resolve, reject })
    })
  }

  end(reason: string): void {
    if (this.#end !== undefined) return
    this.#end = reason
    for (const waiter of this.#waiting.values()) waiter.reject(new Error(reason))
    this.#waiting.clear()
    this.#worker.terminate()
  }

  #answered({ id, result, error }: StoreAnswer): void {
    const waiter = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (!error) waiter?.resolve(result)
    else if (error.code) waiter?.reject(new StoreError(error.code, error.message))
    else waiter?.reject(new Error(error.message))
  }
}
