import type { GroupsOf } from "../methods.ts"
import { openOnThread } from "./thread-client.ts"

/** A file and the thread that serves it. */
export interface ThreadPlace {
  /** Path below `src/`. */
  readonly thread: string
  readonly path: string
  /** The name of the file in errors, such as `the reports`. */
  readonly noun: string
}

/** A file's methods, on a thread that starts with the first call and ends with the gateway. */
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

  /** @throws Error if the file cannot be opened; the next call tries again. */
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
