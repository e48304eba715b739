import type { GroupsOf } from "./sqlite/methods.ts"
import type { Reports, RequestReports } from "./reports.ts"
import { ThreadOnDemand } from "./sqlite/thread-on-demand.ts"

/** How long a report waits for the index; what it then has not seen comes with the next, milliseconds. */
const PATIENCE = 3_000

/** The reports of a book, on a thread that begins with the first question and ends with the gateway. */
export class ReportsOnDemand implements AsyncDisposable {
  readonly #thread: ThreadOnDemand<Reports>
  readonly #patience: number
  #last: Promise<void> = Promise.resolve()

  /** @param path the book's. @param patience milliseconds; for tests. */
  constructor(path: string, patience = PATIENCE) {
    this.#thread = new ThreadOnDemand({
      thread: "store/sqlite/requests-thread.ts",
      path,
      noun: "the reports",
    })
    this.#patience = patience
  }

  /**
   * The reports, with everything in them that is in the book now. Only where very much is new to the
   * index, as at its first use, does it answer with what it has so far, and goes on.
   */
  async upToDate(): Promise<RequestReports> {
    const reports = (await this.current()).requests
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

  async #catchUp(reports: RequestReports): Promise<void> {
    while (!this.#thread.isClosed && (await reports.bringUp()));
  }

  /** The reports as they are. */
  current(): Promise<GroupsOf<Reports>> {
    return this.#thread.get()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#thread.close()
    await this.#last
    await this.#thread[Symbol.asyncDispose]()
  }
}
