import { GatewayError } from "../canon/errors.ts"
import { ChunkList } from "../wire/chunk-list.ts"
import { FetchedResponse } from "../wire/http/fetched.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"

/** Limits on media fetched for callers. */
export interface MediaLimits {
  /** Maximum bytes of an image or file. */
  readonly bytes: number
  /** Whether private networks may be accessed. It is false unless the operator trusts every caller. */
  readonly allowsPrivate: boolean
}

/** Counts fetched media against the memory budget. */
export interface MediaMemory {
  /**
   * Reserves bytes of fetched media.
   * @throws GatewayError `overloaded`.
   */
  takeResponse(bytes: number): void
}

/** Fetched media in the form of a request part. */
export interface FetchedMedia {
  readonly type: "base64"
  readonly data: string
  readonly mediaType: string
}

/** The media is larger than the limit. */
export class MediaTooLarge extends GatewayError {
  constructor(url: URL, limit: number) {
    super(
      "invalid_value",
      `'${url.href.slice(0, MAX_SHOWN_LENGTH)}' is larger than the ${Math.floor(limit / 1024 / 1024)} MB that are fetched for a request.`,
      { parameter: "messages" },
    )
  }
}

const TIMEOUT_MS = 15_000
const MAX_SHOWN_LENGTH = 200
/** Number of copies in memory: the bytes, the base64, and the upstream request. */
const COPIES = 3

/**
 * Fetches media that a caller's request links to, for vendors that accept no links. The host name is resolved once and
 * checked, and the request goes to exactly that address. Redirects are not followed, and reading stops at the limit.
 * @throws GatewayError `invalid_value` with the address and the reason.
 */
export async function fetchMedia(
  address: string,
  limits: MediaLimits,
  memory: MediaMemory,
): Promise<FetchedMedia> {
  const { url, response } = await ask(address, limits)
  if (!response.ok) {
    await response.body?.cancel()
    throw unreachable(url.href, `it answered with status ${response.status}`)
  }
  const bytes = await readLimited(response, url, { limit: limits.bytes, memory })
  const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  return {
    type: "base64",
    data: bytes.toString("base64"),
    mediaType: type || "application/octet-stream",
  }
}

async function ask(address: string, { allowsPrivate }: MediaLimits) {
  try {
    const url = readWebAddress(address)
    const headers = { accept: "*/*", "accept-encoding": "identity" }
    return {
      url,
      response: await pinnedFetch(url, { headers, allowsPrivate, deadline: TIMEOUT_MS }),
    }
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    const { message, isRejected, wordsForUsers } = error
    const isOfName = wordsForUsers !== message
    throw isRejected || isOfName ? rejected(address, wordsForUsers) : unreachable(address, message)
  }
}

interface Reading {
  readonly limit: number
  readonly memory: MediaMemory
}

async function readLimited(
  response: Response,
  url: URL,
  { limit, memory }: Reading,
): Promise<Buffer> {
  const announced = Number(response.headers.get("content-length") ?? 0)
  if (announced > limit) {
    await response.body?.cancel()
    throw new MediaTooLarge(url, limit)
  }
  const list = new ChunkList()
  let size = 0
  try {
    for await (const chunk of new FetchedResponse(response).body) {
      size += chunk.byteLength
      if (size > limit) throw new MediaTooLarge(url, limit)
      memory.takeResponse(COPIES * chunk.byteLength)
      list.push(chunk)
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw unreachable(url.href, "it broke off")
  }
  return Buffer.concat(list.chunks)
}

function rejected(address: string, reason: string): GatewayError {
  const shown = address.slice(0, MAX_SHOWN_LENGTH)
  return new GatewayError(
    "invalid_value",
    `The address '${shown}' is not fetched: ${reason}. Send the data itself, as base64.`,
    { parameter: "messages" },
  )
}

function unreachable(address: string, reason: string): GatewayError {
  const shown = address.slice(0, MAX_SHOWN_LENGTH)
  return new GatewayError(
    "invalid_value",
    `'${shown}' could not be fetched for the model: ${reason}. Check it, or send the data itself, as base64.`,
    { parameter: "messages" },
  )
}
