import { type Reports, REPORT_STEPS } from "./reports.ts"
import { openOnThread } from "./sqlite/step-thread.ts"

/** How long a report waits for the index; what it then has not seen comes with the next, milliseconds. */
const PATIENCE = 3_000

/** The reports of a book, on a thread that begins with the first question and ends with the gateway. */
export class ReportsOnDemand implements AsyncDisposable {
  readonly #path: string
  readonly #patience: number
  #opening: Promise<Reports> | undefined
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  /** @param path the book's. @param patience milliseconds; for tests. */
  constructor(path: string, patience = PATIENCE) {
    this.#path = path
    this.#patience = patience
  }

  /**
   * The reports, with everything in them that is in the book now. Only where very much is new to the
   * index, as at its first use, does it answer with what it has so far, and goes on.
   */
  async upToDate(): Promise<Reports> {
    const reports = await this.current()
    const caughtUp = this.#last.then(() => this.#catchUp(reports))
    this.#last = caughtUp.catch(() => undefined)
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#patience)
    try {
      await Promise.race([caughtUp, enough])
    } finally {
      clearTimeout(timer)
    }
    return reports
  }

  async #catchUp(reports: Reports): Promise<void> {
    while (!this.#isClosed && (await reports.bringUp()));
  }

  /** The reports as they are. */
  current(): Promise<Reports> {
    if (this.#isClosed) return Promise.reject(new Error("the reports are closed"))
    this.#opening ??= openOnThread<Reports>(
      "store/sqlite/requests-thread.ts",
      this.#path,
      REPORT_STEPS,
    ).catch((error: unknown) => {
      // The next question tries again.
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const reports = await this.#opening?.catch(() => undefined)
    await this.#last
    await reports?.[Symbol.asyncDispose]()
  }
}
