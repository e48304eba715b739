import { pinnedFetch, PinnedFetchError, readWebAddress } from "../../wire/http/pinned-fetch.ts"
import { DeliveryError } from "./channel.ts"

const DEADLINE = 10_000
/** The receiver wants no more of it, for good. */
const GONE = 410

/**
 * Sends JSON to an address that someone typed.
 * @throws DeliveryError unless the answer's status is 2xx.
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
      deadline: DEADLINE,
    })
  } catch (error) {
    if (error instanceof PinnedFetchError) throw new DeliveryError(error.message)
    throw error
  }
  await response.body?.cancel()
  if (response.ok) return
  const { status } = response
  throw new DeliveryError(`it answered with status ${status}`, status === GONE)
}
