import { pinnedFetch, PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"
import { LineDeliveryError } from "./destination.ts"

export const TIMEOUT_MS = 30_000

export interface SentLines {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Whether the address may be in a private network. */
  readonly allowsPrivate: boolean
  readonly signal: AbortSignal
}

/**
 * Sends lines to an address.
 * @returns the response, whose body has not been read.
 * @throws LineDeliveryError if there is no response.
 */
export async function sendLines(lines: SentLines): Promise<Response> {
  const { url, ...request } = lines
  try {
    return await pinnedFetch(readWebAddress(url), {
      ...request,
      method: "POST",
      deadline: TIMEOUT_MS,
    })
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    const { message, isRejected } = error
    if (isRejected) throw new LineDeliveryError(rejectedAddress(message))
    // The lines themselves may have caused the receiver to crash.
    throw new LineDeliveryError(message, "unclear")
  }
}

/** Adds advice for the operator to the message about a rejected address. */
export function rejectedAddress(message: string): string {
  return `${message}. Add "private: true" to it if this is intended`
}
