import type { FormFile } from "../../canon/form-file.ts"
import type { Deployment } from "../../catalog/model.ts"
import type { Sending } from "../../wire/http/sending.ts"

/** A file that arrives more slowly than this is better waited for: a vendor would not wait. Milliseconds. */
const PATIENCE = 30_000

/**
 * An upstream call that is sent while the file in it is still arriving. Until it is taken the vendor does not get the
 * end of it, so there is nothing that it could do and bill; and its failure is no one's: it is given up without a trace,
 * and the call is made again from the complete file.
 */
export class SpeculativeCall {
  readonly #deployment: Deployment
  readonly #sending: Sending
  readonly #file: FormFile
  readonly #timer: ReturnType<typeof setTimeout>
  #state: "sent" | "taken" | "lost" = "sent"

  /** @param file what is still arriving. */
  constructor(deployment: Deployment, sending: Sending, file: FormFile) {
    this.#deployment = deployment
    this.#sending = sending
    this.#file = file
    this.#timer = setTimeout(() => this.giveUp(), PATIENCE)
    // An answer that did not wait for all of the file is no answer to it.
    const giveUp = (): void => this.giveUp()
    sending.answer.then(giveUp, giveUp)
  }

  /** The call, if it was made to this deployment and its answer can still be the one. It is the taker's to end. */
  take(deployment: Deployment): Sending | undefined {
    if (deployment !== this.#deployment) this.giveUp()
    if (this.#state !== "sent") return undefined
    this.#state = "taken"
    clearTimeout(this.#timer)
    this.#file.letFinish()
    return this.#sending
  }

  /** Ends it, unless someone has taken it. */
  giveUp(): void {
    if (this.#state !== "sent") return
    this.#state = "lost"
    clearTimeout(this.#timer)
    this.#sending.abort()
  }
}
