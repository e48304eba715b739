import { LedgerError, type LedgerFault } from "../ledger-error.ts"
import { StoreError } from "../store-error.ts"
import { methodNames, methodOf } from "../methods.ts"

/** A call from the gateway's thread to a thread of the store. */
export interface MethodCall {
  readonly id: number
  /** The group of the method. The group `thread` stands for the thread itself, with the methods `open` and `close`. */
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

/** A file or database that a thread has opened. */
export interface OpenFile {
  /** Groups of methods, which are synchronous for files. */
  readonly methods: object
  /** Converts an error of the file to the store's own error. */
  explained?(error: unknown): unknown
  close(): void | Promise<void>
}

declare const self: Worker

/** Serves calls on this thread. The first call is `open` with the name of the file, and the last call is `close`. */
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
