import type { FormFile } from "../../canon/form-file.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Sending } from "../../wire/http/sending.ts"

/** Maximum milliseconds for a file to arrive. A vendor would not wait longer. */
const TIMEOUT_MS = 30_000

/**
 * An upstream call that is sent while its file is still arriving. The end of the file is withheld until `take` is
 * called, so the vendor cannot process and bill the file before then. If the call fails, the failure is not recorded,
 * and the call is made again with the complete file.
 */
export class SpeculativeCall {
  readonly #deployment: Deployment
  readonly #sending: Sending
  readonly #file: FormFile
  readonly #timer: ReturnType<typeof setTimeout>
  #state: "sent" | "taken" | "lost" = "sent"

  /** @param file the file that is still arriving. */
  constructor(deployment: Deployment, sending: Sending, file: FormFile) {
    this.#deployment = deployment
    this.#sending = sending
    this.#file = file
    this.#timer = setTimeout(() => this.giveUp(), TIMEOUT_MS)
    // A response that arrives before the file is complete cannot be used.
    const giveUp = (): void => this.giveUp()
    sending.response.then(giveUp, giveUp)
  }

  /**
   * Returns the call if it was made to this deployment and its response can still be used. The caller of this method
   * must then end it.
   */
  take(deployment: Deployment): Sending | undefined {
    if (deployment !== this.#deployment) this.giveUp()
    if (this.#state !== "sent") return undefined
    this.#state = "taken"
    clearTimeout(this.#timer)
    this.#file.letFinish()
    return this.#sending
  }

  /** Ends the call, unless it was taken. */
  giveUp(): void {
    if (this.#state !== "sent") return
    this.#state = "lost"
    clearTimeout(this.#timer)
    this.#sending.abort()
  }
}
