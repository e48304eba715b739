import { createHash } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import { beginningOf, discard } from "../http/response-body.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../http/pinned-fetch.ts"
import { BucketError } from "./bucket-error.ts"

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
  const response = await responseOf(url, {
    method,
    headers: signed,
    ...(body !== undefined && { body }),
    allowsPrivate,
    deadline: timeoutMs,
    ...(signal && { signal }),
  })
  if (response.ok) return response
  throw rejection(response.status, await beginningOf(response))
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

async function responseOf(url: URL, request: Parameters<typeof pinnedFetch>[1]): Promise<Response> {
  try {
    return await pinnedFetch(readWebAddress(url.href), request)
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    throw new BucketError(error.message, { isAddressRejected: error.isRejected })
  }
}

/** Maximum characters of a response. The longest document is a list of a thousand long names. */
const MAX_CHARACTERS = 16 * 1024 * 1024

/**
 * Reads a complete response.
 * @throws BucketError if the response is cut off, takes too long or is too long.
 */
export async function textOf(response: Response): Promise<string> {
  let text = ""
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_CHARACTERS) break
    }
  } catch {
    throw cutOff()
  }
  if (text.length > MAX_CHARACTERS) throw new BucketError("its response does not end")
  return text
}

export function cutOff(): BucketError {
  return new BucketError("its response was cut off")
}

/** Returns the texts of all elements with a name. */
export function elementsOf(text: string, name: string): string[] {
  const pattern = new RegExp(`<${name}>([^<]*)</${name}>`, "g")
  return [...text.matchAll(pattern)].map(([, content = ""]) => decoded(content))
}

const MARKS: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
}

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{2,4}));/g,
    (all, hex, digits, name) => {
      if (name !== undefined) return MARKS[String(name)] ?? String(all)
      const point = hex === undefined ? Number(digits) : Number.parseInt(String(hex), 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : String(all)
    },
  )
}

/** The location and the credentials of an S3-compatible bucket. */
export interface BucketAddress {
  readonly bucket: string
  /** The endpoint of the bucket. Defaults to Amazon's own endpoint. */
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The session token; only for temporary credentials. */
  readonly sessionToken?: string | undefined
}

const REGION = "us-east-1"

function regionOf({ region = REGION }: BucketAddress): string {
  return region
}

/** Returns the endpoint of a bucket, which is Amazon's by default. */
export function endpointOf(address: BucketAddress): string {
  return address.endpoint ?? `https://s3.${regionOf(address)}.amazonaws.com`
}

/** Returns the URL of an object, or of the bucket itself if the key is empty. */
function addressOf(address: BucketAddress, key: string, query: Query = {}): URL {
  const path = [address.bucket, ...key.split("/")].map(encoded).join("/")
  const url = new URL(`${endpointOf(address).replace(/\/+$/, "")}/${path}`)
  url.search = Object.entries(query)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.map(encoded).join("="))
    .join("&")
  return url
}

type Query = Readonly<Record<string, string>>

/** Encodes a text like `encodeURIComponent`, and also five characters that signatures must encode. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
