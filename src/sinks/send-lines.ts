import { pinnedFetch, PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"
import { LineDeliveryError } from "./destination.ts"

/** How long one delivery may take, milliseconds. */
const PATIENCE = 30_000

export interface SentLines {
  readonly url: string
  readonly method: "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Whether the address may be in a private network. */
  readonly allowsPrivate: boolean
  readonly signal: AbortSignal
  /** Milliseconds; for tests. */
  readonly patience?: number
}

/**
 * Sends lines to an address.
 * @returns the answer, of whose body nothing is read yet.
 * @throws LineDeliveryError that there is none.
 */
export async function sendLines(lines: SentLines): Promise<Response> {
  const { url, patience = PATIENCE, ...request } = lines
  try {
    return await pinnedFetch(readWebAddress(url), { ...request, deadline: patience })
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    const { message, isRefused } = error
    throw new LineDeliveryError(
      isRefused ? `${message}. Add "private: true" to it if it is meant` : message,
    )
  }
}

/** Reads no more of an answer, which is of no use but for its status. */
export async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => undefined)
}
