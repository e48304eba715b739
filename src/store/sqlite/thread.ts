import { StoreError } from "../store.ts"
import { openSqliteStore, type SqliteStore } from "./sqlite-store.ts"

/** What crosses between the gateway's thread and the store's. */
export interface StoreCall {
  readonly id: number
  readonly method: string
  readonly parameters: readonly unknown[]
}

export interface StoreAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string; readonly code?: StoreError["code"] }
}

declare const self: Worker

let store: SqliteStore | undefined

function perform(call: StoreCall): unknown {
  if (call.method === "open") {
    store = openSqliteStore(String(call.parameters[0]))
    return null
  }
  if (call.method === "close") {
    store?.close()
    return null
  }
  const method = store?.[call.method as keyof SqliteStore] as
    | ((...parameters: readonly unknown[]) => unknown)
    | undefined
  if (!method) throw new Error(`the store knows no step '${call.method}'`)
  return method(...call.parameters)
}

function answer(call: StoreCall): StoreAnswer {
  try {
    return { id: call.id, result: perform(call) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof StoreError ? { code: error.code } : {}
    return { id: call.id, error: { message, ...code } }
  }
}

self.addEventListener("message", (message: MessageEvent<StoreCall>) => {
  self.postMessage(answer(message.data))
})
