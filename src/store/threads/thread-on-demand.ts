import type { GroupsOf } from "../methods.ts"
import { openOnThread } from "./thread-client.ts"

/** A file, and the thread that opens it. */
export interface ThreadPlace {
  /** Path of the thread's program under `src/`. */
  readonly thread: string
  readonly path: string
  /** The name of the file in error messages, such as `the reports`. */
  readonly noun: string
}

/** The methods of a file, on a thread that starts with the first call and ends with the gateway. */
export class ThreadOnDemand<Interface extends AsyncDisposable> implements AsyncDisposable {
  readonly #place: ThreadPlace
  #opening: Promise<GroupsOf<Interface> & AsyncDisposable> | undefined
  #isClosed = false

  constructor(place: ThreadPlace) {
    this.#place = place
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Returns the methods, and starts the thread if necessary.
   * @throws Error if the file cannot be opened. The next call tries again.
   */
  get(): Promise<GroupsOf<Interface>> {
    const { thread, path, noun } = this.#place
    if (this.#isClosed) return Promise.reject(new Error(`${noun} are closed`))
    this.#opening ??= openOnThread<Interface>(thread, path).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** Prevents further starts of the thread. */
  close(): void {
    this.#isClosed = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    const methods = await this.#opening?.catch(() => undefined)
    await methods?.[Symbol.asyncDispose]()
  }
}
