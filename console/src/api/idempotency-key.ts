import { useState } from "react"
import { afterLostResponse, isOutcomeUnknown } from "./api-error.ts"

/** Creates the idempotency keys of an open dialog. */
export class RequestKeys {
  #key = newKey()
  #isUncertain = false

  /** The key of the next request. It changes only after the gateway has rejected a request. */
  get current(): string {
    return this.#key
  }

  /**
   * Records a failed request. A rejected request created nothing, so the next request gets a new key. After a lost
   * response the key stays the same, so that a repeated request is not executed twice.
   * @returns the error to show. A rejection after a lost response does not reveal whether the first request was
   * executed.
   */
  failed(error: unknown): unknown {
    if (isOutcomeUnknown(error)) this.#isUncertain = true
    else if (this.#isUncertain) return afterLostResponse(error)
    else this.#key = newKey()
    return error
  }
}

/** Returns the idempotency keys of a dialog while it is open. */
export function useRequestKeys(): RequestKeys {
  const [keys] = useState(() => new RequestKeys())
  return keys
}

/** Returns random text. Browsers do not provide `randomUUID` if the console is served without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
