import { openOnThread } from "./sqlite/step-thread.ts"

/** A file, the thread that serves it, and what it can do. */
export interface StepsPlace<Steps extends AsyncDisposable> {
  /** Below `src/`. */
  readonly thread: string
  readonly path: string
  readonly steps: readonly Exclude<keyof Steps, symbol>[]
  /** How the file is called once it is closed: `the reports`. */
  readonly noun: string
}

/** A file's steps, on a thread that begins with the first who needs them and ends with the gateway. */
export class StepsOnDemand<Steps extends AsyncDisposable> implements AsyncDisposable {
  readonly #place: StepsPlace<Steps>
  #opening: Promise<Steps> | undefined
  #isClosed = false

  constructor(place: StepsPlace<Steps>) {
    this.#place = place
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws Error when it cannot be opened; whoever asks next tries again. */
  get(): Promise<Steps> {
    const { thread, path, steps, noun } = this.#place
    if (this.#isClosed) return Promise.reject(new Error(`${noun} are closed`))
    this.#opening ??= openOnThread<Steps>(thread, path, steps).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** No more is begun. */
  close(): void {
    this.#isClosed = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    const steps = await this.#opening?.catch(() => undefined)
    await steps?.[Symbol.asyncDispose]()
  }
}
