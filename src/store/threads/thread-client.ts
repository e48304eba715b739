import { threadAddress } from "../../runtime.ts"
import { LedgerError } from "../ledger-error.ts"
import { StoreError } from "../store-error.ts"
import { type GroupsOf, type MethodNames, methodsNamed } from "../methods.ts"
import type { MethodResult } from "./thread-server.ts"

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * Opens a file on a separate thread and returns asynchronous methods, so that waiting for the disk never blocks the
 * gateway's thread.
 * @param thread the path under `src/` of a file that calls `serveMethods` with `Interface` or its direct form.
 * @throws Error if the file cannot be opened.
 */
export async function openOnThread<Interface extends AsyncDisposable>(
  thread: string,
  path: string,
): Promise<GroupsOf<Interface> & AsyncDisposable> {
  const calls = new ThreadCalls(thread)
  try {
    const names = await calls.open(path)
    return {
      ...methodsNamed<GroupsOf<Interface>>(
        names,
        (group, name) =>
          (...parameters) =>
            calls.call(group, name, parameters),
      ),
      [Symbol.asyncDispose]: () => calls.close(),
    }
  } catch (error) {
    calls.end("the store could not be opened")
    throw error
  }
}

/** Pending calls to the thread. If the thread ends for any reason, all of them fail. */
class ThreadCalls {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #last = 0
  #end: string | undefined

  constructor(thread: string) {
    this.#worker = new Worker(threadAddress(thread))
    this.#worker.addEventListener("message", (message: MessageEvent<MethodResult>) =>
      this.#answered(message.data),
    )
    this.#worker.addEventListener("error", (event) =>
      this.end(`the store's thread failed: ${event.message}`),
    )
    this.#worker.addEventListener("close", () => this.end("the store's thread has ended"))
  }

  /**
   * Opens the file.
   * @returns the names of the thread's methods.
   */
  async open(path: string): Promise<MethodNames> {
    return (await this.call("thread", "open", [path])) as MethodNames
  }

  async close(): Promise<void> {
    if (this.#end !== undefined) return
    try {
      await this.call("thread", "close", [])
    } finally {
      // The thread is ended even if closing failed, because a running thread keeps its process alive.
      this.end("the store is closed")
    }
  }

  call(group: string, name: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(new Error(this.#end))
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ id, group, name, parameters })
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

  #answered({ id, result, error }: MethodResult): void {
    const waiter = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (!error) waiter?.resolve(result)
    else if (error.code) waiter?.reject(new StoreError(error.code, error.message))
    else if (error.fault) waiter?.reject(new LedgerError(error.fault, error.message))
    else waiter?.reject(new Error(error.message))
  }
}
