import { createHash } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import { beginningOf, discard } from "../http/answer-body.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../http/pinned-fetch.ts"
import { BucketError } from "./bucket-error.ts"
import { addressOf, type BucketAddress, type Query, regionOf } from "./bucket-address.ts"

export interface BucketRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** The key of an object; empty for the bucket itself. */
  readonly key: string
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** Whether the bucket may be in a private network. */
  readonly allowsPrivate: boolean
  /** Timeout for the entire response in milliseconds. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const NOTHING = new Uint8Array(0)
/** Matches the error code at the start of a response. */
const CODE = /<Code>([A-Za-z]{1,64})<\/Code>/

/**
 * Sends one request to a bucket, signed with the bucket's own keys. Credentials in the environment, which vendors may
 * use, are ignored. Redirects are not followed.
 * @returns a success response whose body has not been read.
 * @throws BucketError for any other response, and for a failed connection.
 */
export async function sendToBucket(
  address: BucketAddress,
  request: BucketRequest,
): Promise<Response> {
  const { method, key, query, headers, body, allowsPrivate, timeoutMs, signal } = request
  const url = addressOf(address, key, query)
  const signer = new AwsV4Signer({
    ...keysOf(address),
    method,
    url: url.href,
    headers: {
      ...headers,
      "x-amz-content-sha256": createHash("sha256")
        .update(body ?? NOTHING)
        .digest("hex"),
    },
  })
  const signed = Object.fromEntries((await signer.sign()).headers)
  const answer = await answerOf(url, {
    method,
    headers: signed,
    ...(body !== undefined && { body }),
    allowsPrivate,
    deadline: timeoutMs,
    ...(signal && { signal }),
  })
  if (answer.ok) return answer
  throw rejection(answer.status, await beginningOf(answer))
}

/**
 * Returns a link to an object that works without keys.
 * @param lifetime lifetime of the link in seconds.
 */
export async function signedLink(
  address: BucketAddress,
  key: string,
  lifetime: number,
): Promise<string> {
  const url = addressOf(address, key, { "X-Amz-Expires": String(lifetime) })
  const signer = new AwsV4Signer({ ...keysOf(address), url: url.href, signQuery: true })
  return (await signer.sign()).url.href
}

/** Creates the error of a response. @param text the start of the response. */
export function rejection(status: number, text: string): BucketError {
  const [, code] = CODE.exec(text) ?? []
  const reason = `it answered with status ${status}`
  return new BucketError(code === undefined ? reason : `${reason} (${code})`, { status, code })
}

/** Sends a request and discards the body of the response. */
export async function sendAndForget(address: BucketAddress, request: BucketRequest): Promise<void> {
  await discard(await sendToBucket(address, request))
}

function keysOf(address: BucketAddress) {
  const { accessKeyId, secretAccessKey, sessionToken } = address
  return {
    service: "s3",
    region: regionOf(address),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  }
}

async function answerOf(url: URL, request: Parameters<typeof pinnedFetch>[1]): Promise<Response> {
  try {
    return await pinnedFetch(readWebAddress(url.href), request)
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    throw new BucketError(error.message, { isAddressRejected: error.isRejected })
  }
}
