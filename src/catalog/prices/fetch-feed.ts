import { boundedText } from "../../canon/bounded-text.ts"
import { FeedError } from "./feed-error.ts"
import { fetchInSteps } from "../../wire/http/fetched.ts"

const DOWNLOAD_TIMEOUT_MS = 30_000
/** Maximum size of a price list. It is enough for ten times as many models. */
const MAX_BYTES = 16 * 1024 * 1024
/** Maximum values of a price list. Its prices are one text, which is parsed only if its signature is correct. */
const MAX_VALUES = 100

/** Loads the text of a price list. @param from a file, or an address that starts with http: or https: */
export async function fetchFeed(from: string): Promise<string> {
  return /^https?:\/\//i.test(from) ? download(from) : readFile(from)
}

async function readFile(path: string): Promise<string> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new FeedError(`there is no file ${path}`)
  if (file.size > MAX_BYTES) throw new FeedError(`the file ${path} is too large for a price list`)
  return file.text()
}

async function download(address: string): Promise<string> {
  const place = shown(address)
  try {
    const response = await fetchInSteps(address, {
      signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
    })
    if (!response.ok) throw new FeedError(`${place} answered with status ${response.status}`)
    const text = await boundedText(response.body, { maxBytes: MAX_BYTES, maxValues: MAX_VALUES })
    if (text === undefined)
      throw new FeedError(`${place} sent more bytes than a price list can have, or more values`)
    return text
  } catch (error) {
    if (error instanceof FeedError) throw error
    const reason =
      (error as Error).name === "TimeoutError" ? "did not answer in time" : "cannot be reached"
    throw new FeedError(`${place} ${reason}`, { cause: error })
  }
}

/** Returns an address without the parts that may be secret. */
export function shown(address: string): string {
  if (!URL.canParse(address)) return "the address"
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}
