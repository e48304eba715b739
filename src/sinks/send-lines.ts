import { pinnedFetch, PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"
import { LineDeliveryError } from "./destination.ts"

/** How long one delivery may take, milliseconds. */
export const PATIENCE = 30_000

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
 * @returns the answer, of whose body nothing is read yet.
 * @throws LineDeliveryError that there is none.
 */
export async function sendLines(lines: SentLines): Promise<Response> {
  const { url, ...request } = lines
  try {
    return await pinnedFetch(readWebAddress(url), {
      ...request,
      method: "POST",
      deadline: PATIENCE,
    })
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    const { message, isRefused } = error
    if (isRefused) throw new LineDeliveryError(refusedAddress(message))
    // What takes them may have died of them.
    throw new LineDeliveryError(message, "unclear")
  }
}

/** Says of an address that is refused what the operator can do. */
export function refusedAddress(message: string): string {
  return `${message}. Add "private: true" to it if it is meant`
}
