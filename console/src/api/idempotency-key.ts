import { useState } from "react"
import { afterLostAnswer, isOutcomeUnknown } from "./api-error.ts"

/** The keys of what one dialog asks for while it is open. */
export class RequestKeys {
  #key = newKey()
  #isUncertain = false

  /** What a request is sent with. It stays the same until the gateway has refused a request for good. */
  get current(): string {
    return this.#key
  }

  /**
   * Takes note of what a request failed with. A refusal made nothing, so what is sent next is another
   * request. Once an answer was lost the key stays: another request with it is refused, not made as well.
   * @returns what to show: after a lost response, a refusal does not say what happened to the first try.
   */
  failed(error: unknown): unknown {
    if (isOutcomeUnknown(error)) this.#isUncertain = true
    else if (this.#isUncertain) return afterLostAnswer(error)
    else this.#key = newKey()
    return error
  }
}

/** The keys of a dialog, for as long as it is open. */
export function useRequestKeys(): RequestKeys {
  const [keys] = useState(() => new RequestKeys())
  return keys
}

/** Random text. Where the console is not served encrypted, browsers have no `randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
