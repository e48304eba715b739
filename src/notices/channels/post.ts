import { pinnedFetch, PinnedFetchError, readWebAddress } from "../../wire/http/pinned-fetch.ts"
import { DeliveryError } from "./channel.ts"

const TIMEOUT_MS = 10_000
/** HTTP status of a receiver that permanently rejects notices. */
const GONE = 410

/**
 * Sends JSON to a user-supplied address.
 * @throws DeliveryError unless the response has a 2xx status.
 */
export async function post(
  address: string,
  body: string,
  { headers, allowsPrivate }: { headers: Record<string, string>; allowsPrivate: boolean },
): Promise<void> {
  let response: Response
  try {
    response = await pinnedFetch(readWebAddress(address), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      allowsPrivate,
      deadline: TIMEOUT_MS,
    })
  } catch (error) {
    if (error instanceof PinnedFetchError) throw new DeliveryError(error.wordsForUsers)
    throw error
  }
  await response.body?.cancel()
  if (response.ok) return
  const { status } = response
  throw new DeliveryError(`it answered with status ${status}`, status === GONE)
}
