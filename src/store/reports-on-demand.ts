import { type Reports, REPORT_STEPS } from "./reports.ts"
import { StepsOnDemand } from "./steps-on-demand.ts"

/** How long a report waits for the index; what it then has not seen comes with the next, milliseconds. */
const PATIENCE = 3_000

/** The reports of a book, on a thread that begins with the first question and ends with the gateway. */
export class ReportsOnDemand implements AsyncDisposable {
  readonly #steps: StepsOnDemand<Reports>
  readonly #patience: number
  #last: Promise<void> = Promise.resolve()

  /** @param path the book's. @param patience milliseconds; for tests. */
  constructor(path: string, patience = PATIENCE) {
    this.#steps = new StepsOnDemand({
      thread: "store/sqlite/requests-thread.ts",
      path,
      steps: REPORT_STEPS,
      noun: "the reports",
    })
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
    while (!this.#steps.isClosed && (await reports.bringUp()));
  }

  /** The reports as they are. */
  current(): Promise<Reports> {
    return this.#steps.get()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#steps.close()
    await this.#last
    await this.#steps[Symbol.asyncDispose]()
  }
}
