import { LedgerError, type LedgerFault } from "../ledger-error.ts"
import { StoreError } from "../store-error.ts"
import { methodNames, methodOf } from "../methods.ts"

/** What crosses between the gateway's thread and a thread of the store's. */
export interface MethodCall {
  readonly id: number
  /** `thread` stands for the thread itself: its methods are `open` and `close`. */
  readonly group: string
  readonly name: string
  readonly parameters: readonly unknown[]
}

export interface MethodResult {
  readonly id: number
  readonly result?: unknown
  readonly error?: {
    readonly message: string
    readonly code?: StoreError["code"]
    readonly fault?: LedgerFault
  }
}

/** A file, or a database, that a thread has opened. */
export interface OpenFile {
  /** Groups of methods: of a file they are synchronous. */
  readonly methods: object
  /** An error of a method as the store's own, where it comes from the file. */
  explained?(error: unknown): unknown
  close(): void | Promise<void>
}

declare const self: Worker

/** Answers calls on this thread. The first one, `open`, says of what; the last is `close`. */
export function serveMethods(open: (path: string) => OpenFile): void {
  let file: OpenFile | undefined

  function perform({ group, name, parameters }: MethodCall): unknown {
    if (group === "thread" && name === "open") {
      file = open(String(parameters[0]))
      return methodNames(file.methods)
    }
    if (file === undefined) throw new Error("the store is not open")
    if (group === "thread") return file.close()
    return methodOf(file.methods, group, name)(...parameters)
  }

  self.addEventListener("message", (message: MessageEvent<MethodCall>) => {
    const { id } = message.data
    const fail = (error: unknown): void =>
      self.postMessage(failed(id, file?.explained?.(error) ?? error))
    try {
      const result = perform(message.data)
      if (!(result instanceof Promise)) self.postMessage({ id, result } satisfies MethodResult)
      else result.then((made: unknown) => self.postMessage({ id, result: made }), fail)
    } catch (error) {
      fail(error)
    }
  })
}

function failed(id: number, error: unknown): MethodResult {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof StoreError ? { code: error.code } : {}
  const fault = error instanceof LedgerError ? { fault: error.code } : {}
  return { id, error: { message, ...code, ...fault } }
}
