import { StoreError } from "../store-error.ts"
import { threadAddress } from "../../runtime.ts"
import { BookError } from "../book-error.ts"
import type { StepAnswer } from "./serve-steps.ts"

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * Opens a file on a thread of its own and gives its steps as promises: waiting for the disk never
 * stops the gateway's thread.
 * @param thread below `src/`: a file that calls `serveSteps`.
 * @throws Error when the file cannot be opened.
 */
export async function openOnThread<Steps extends AsyncDisposable>(
  thread: string,
  path: string,
  names: readonly Exclude<keyof Steps, symbol>[],
): Promise<Steps> {
  const calls = new StepThread(thread)
  try {
    await calls.call("open", [path])
  } catch (error) {
    calls.end("the store could not be opened")
    throw error
  }
  const steps = names.map((step) => [
    step,
    (...parameters: readonly unknown[]) => calls.call(String(step), parameters),
  ])
  return {
    ...Object.fromEntries(steps),
    async [Symbol.asyncDispose]() {
      if (calls.hasEnded) return
      try {
        await calls.call("close", [])
      } finally {
        // Also where it could not be closed well: a thread that runs keeps its process alive.
        calls.end("the store is closed")
      }
    },
  } as Steps
}

/** Calls that wait for the thread's answers. Once it has ended, for whatever reason, all of them fail. */
class StepThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #end: string | undefined

  constructor(thread: string) {
    this.#worker = new Worker(threadAddress(thread))
    this.#worker.addEventListener("message", (message: MessageEvent<StepAnswer>) =>
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

  call(step: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(new Error(this.#end))
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ id, step, parameters })
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

  #answered({ id, result, error }: StepAnswer): void {
    const waiter = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (!error) waiter?.resolve(result)
    else if (error.code) waiter?.reject(new StoreError(error.code, error.message))
    else if (error.fault) waiter?.reject(new BookError(error.fault, error.message))
    else waiter?.reject(new Error(error.message))
  }
}
