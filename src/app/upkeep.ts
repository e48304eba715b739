import type { ServingDatabase } from "../store/serving-database.ts"

/** Milliseconds. */
const HOUR = 60 * 60_000

/** What a node does for its database while it runs: a process of months would else meet days that nothing is prepared for. */
export class Upkeep implements AsyncDisposable {
  readonly #database: Pick<ServingDatabase, "prepare">
  readonly #onFailure: (error: unknown) => void
  readonly #timer: ReturnType<typeof setInterval>
  #step: Promise<void> = Promise.resolve()

  /** @param every milliseconds; for tests. */
  constructor(
    database: Pick<ServingDatabase, "prepare">,
    onFailure: (error: unknown) => void,
    every = HOUR,
  ) {
    this.#database = database
    this.#onFailure = onFailure
    this.#timer = setInterval(() => {
      this.#step = this.#perform()
    }, every)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#step
  }

  async #perform(): Promise<void> {
    try {
      await this.#database.prepare(Date.now())
    } catch (error) {
      this.#onFailure(error)
    }
  }
}
