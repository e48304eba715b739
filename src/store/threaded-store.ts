import type { DirectStore, Store } from "./store.ts"
import { StoreError } from "./store.ts"
import type { StoreAnswer } from "./sqlite/thread.ts"

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const METHODS = [
  "createAccount",
  "findAccount",
  "listAccounts",
  "addEntry",
  "listEntries",
  "findReceipt",
  "insertKey",
  "rotateKey",
  "revokeKey",
  "findKey",
  "listKeys",
  "keysSince",
  "joinNode",
  "pollNode",
  "listNodes",
  "removeNode",
  "lease",
  "returnLease",
  "post",
] as const satisfies readonly (keyof DirectStore)[]

/**
 * The SQLite store on a thread of its own: waiting for the disk never stops the gateway's thread.
 * @throws Error when the file cannot be opened.
 */
export async function openStore(path: string): Promise<Store> {
  const thread = new Worker(new URL("./sqlite/thread.ts", import.meta.url).href)
  const waiting = new Map<number, Waiting>()
  let last = 0

  thread.onmessage = (message: MessageEvent<StoreAnswer>) => {
    const { id, result, error } = message.data
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (!error) waiter?.resolve(result)
    else if (error.code) waiter?.reject(new StoreError(error.code, error.message))
    else waiter?.reject(new Error(error.message))
  }
  thread.onerror = (event) => {
    for (const waiter of waiting.values()) waiter.reject(new Error(event.message))
    waiting.clear()
  }

  function call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    const id = ++last
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      thread.postMessage({ id, method, parameters })
    })
  }

  await call("open", [path])
  const methods = METHODS.map((method) => [
    method,
    (...parameters: readonly unknown[]) => call(method, parameters),
  ])
  return {
    ...(Object.fromEntries(methods) as Omit<Store, typeof Symbol.asyncDispose>),
    async [Symbol.asyncDispose]() {
      await call("close", [])
      thread.terminate()
    },
  }
}
