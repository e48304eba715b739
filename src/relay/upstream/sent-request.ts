import type { HttpClient } from "../../wire/http/client.ts"
import type { HttpRequest } from "../../wire/http/request.ts"
import type { Sending } from "../../wire/http/sending.ts"

/** A body that comes slower than this is better waited for: a vendor would not wait. Milliseconds. */
const PATIENCE = 30_000

/**
 * A request that was sent while its body still came from the caller. Whatever becomes of it before the
 * body is whole is nobody's failure: it is given up, and the request is made again.
 */
export class SentRequest {
  readonly sending: Sending
  readonly #timer: ReturnType<typeof setTimeout>
  #isLost = false

  /** @param isWhole whether the body has come to its end. */
  constructor(client: HttpClient, request: HttpRequest, isWhole: () => boolean) {
    this.sending = client.send(request)
    this.#timer = setTimeout(() => this.giveUp(), PATIENCE)
    this.sending.answer.then(
      () => {
        if (!isWhole()) this.giveUp()
      },
      () => this.giveUp(),
    )
  }

  /** Whether its answer can still be the one. From now on it is the taker's. */
  take(): boolean {
    clearTimeout(this.#timer)
    return !this.#isLost
  }

  giveUp(): void {
    clearTimeout(this.#timer)
    this.#isLost = true
    this.sending.abort()
  }
}
