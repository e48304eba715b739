import { StoreError } from "../store-error.ts"
import { BookError, type BookFault } from "../book-error.ts"

/** What crosses between the gateway's thread and a thread of the store's. */
export interface StepCall {
  readonly id: number
  readonly step: string
  readonly parameters: readonly unknown[]
}

export interface StepAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: {
    readonly message: string
    readonly code?: StoreError["code"]
    readonly fault?: BookFault
  }
}

/** What a thread opens: steps that answer at once. */
export interface DirectSteps {
  /** An error of a step as the store's own, where it comes from the file. */
  explained?(error: unknown): unknown
  close(): void
}

declare const self: Worker

/** Answers calls on this thread. The first one, `open`, says which file; the last is `close`. */
export function serveSteps(open: (path: string) => DirectSteps): void {
  let steps: DirectSteps | undefined

  function perform(call: StepCall): unknown {
    if (call.step === "open") {
      steps = open(String(call.parameters[0]))
      return null
    }
    if (call.step === "close") {
      steps?.close()
      return null
    }
    const step = steps?.[call.step as keyof DirectSteps] as
      | ((...parameters: readonly unknown[]) => unknown)
      | undefined
    if (!step) throw new Error(`the store knows no step '${call.step}'`)
    return step(...call.parameters)
  }

  self.addEventListener("message", (message: MessageEvent<StepCall>) => {
    self.postMessage(answer(message.data, perform, (error) => steps?.explained?.(error) ?? error))
  })
}

function answer(
  call: StepCall,
  perform: (call: StepCall) => unknown,
  explained: (error: unknown) => unknown,
): StepAnswer {
  try {
    return { id: call.id, result: perform(call) }
  } catch (thrown) {
    const error = explained(thrown)
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof StoreError ? { code: error.code } : {}
    const fault = error instanceof BookError ? { fault: error.code } : {}
    return { id: call.id, error: { message, ...code, ...fault } }
  }
}
