import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { GatewayError } from "../canon/errors.ts"
import { FetchedAnswer } from "../wire/http/fetched.ts"
import { isPublicAddress } from "./public-address.ts"

/** Limits on what is fetched for a caller. */
export interface MediaLimits {
  /** The largest image or file, in bytes. */
  readonly bytes: number
  /** Whether private networks may be accessed; off unless the operator trusts every caller. */
  readonly allowsPrivate: boolean
}

/** Counts what is fetched against the memory budget. */
export interface MediaMemory {
  /** @throws GatewayError `overloaded`. */
  takeAnswer(bytes: number): void
}

/** Fetched media, in the form that a part of a request has. */
export interface FetchedMedia {
  readonly type: "base64"
  readonly data: string
  readonly mediaType: string
}

/** The deadline for the entire response, milliseconds. */
const PATIENCE = 15_000
const LONGEST_SHOWN = 200
/** It is in memory as bytes, as base64, and in the upstream request. */
const COPIES = 3

/**
 * Fetches what a caller's request links to, for vendors that take no links. The name is resolved once and
 * checked, and the request goes to exactly that address; redirects are not followed; reading stops at the
 * limit.
 * @throws GatewayError `invalid_value` with the address and the reason.
 */
export async function fetchMedia(
  address: string,
  limits: MediaLimits,
  memory: MediaMemory,
): Promise<FetchedMedia> {
  const url = readAddress(address)
  const ip = await resolve(url, limits)
  let response: Response
  try {
    response = await ask(url, ip)
  } catch {
    throw unreachable(url, "it cannot be reached")
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw unreachable(url, `it answered with status ${response.status}`)
  }
  const bytes = await readLimited(response, url, { limit: limits.bytes, memory })
  const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  return {
    type: "base64",
    data: bytes.toString("base64"),
    mediaType: type || "application/octet-stream",
  }
}

function readAddress(address: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refused(address, "it is no web address")
  }
  if (url.username !== "" || url.password !== "") throw refused(address, "it holds a credential")
  return url
}

/** The one address that is used: a name that resolves differently later gains nothing. */
async function resolve(url: URL, limits: MediaLimits): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  let addresses: readonly string[]
  try {
    addresses =
      isIP(host) === 0 ? (await lookup(host, { all: true })).map((found) => found.address) : [host]
  } catch {
    throw unreachable(url, "its name is unknown")
  }
  const [first] = addresses
  if (first === undefined) throw unreachable(url, "its name is unknown")
  if (!limits.allowsPrivate && !addresses.every(isPublicAddress)) {
    throw refused(url.href, "it is not on the public internet")
  }
  return first
}

function ask(url: URL, ip: string): Promise<Response> {
  const pinned = new URL(url)
  pinned.hostname = ip.includes(":") ? `[${ip}]` : ip
  const isNamed = isIP(url.hostname.replace(/^\[|\]$/g, "")) === 0
  return fetch(pinned, {
    headers: {
      host: url.host,
      accept: "*/*",
      "accept-encoding": "identity",
      "user-agent": "tollgate",
    },
    decompress: false,
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE),
    ...(isNamed && url.protocol === "https:" ? { tls: { serverName: url.hostname } } : {}),
  })
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
    throw tooLarge(url, limit)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of new FetchedAnswer(response).body) {
      size += chunk.byteLength
      if (size > limit) throw tooLarge(url, limit)
      memory.takeAnswer(COPIES * chunk.byteLength)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw unreachable(url, "it broke off")
  }
  return Buffer.concat(chunks)
}

function refused(address: string, reason: string): GatewayError {
  const shown = address.slice(0, LONGEST_SHOWN)
  return new GatewayError(
    "invalid_value",
    `The address '${shown}' is not fetched: ${reason}. Send the data itself, as base64.`,
    { parameter: "messages" },
  )
}

function unreachable(url: URL, reason: string): GatewayError {
  const shown = url.href.slice(0, LONGEST_SHOWN)
  return new GatewayError(
    "invalid_value",
    `'${shown}' could not be fetched for the model: ${reason}. Check it, or send the data itself, as base64.`,
    { parameter: "messages" },
  )
}

function tooLarge(url: URL, limit: number): GatewayError {
  return new GatewayError(
    "invalid_value",
    `'${url.href.slice(0, LONGEST_SHOWN)}' is larger than the ${Math.floor(limit / 1024 / 1024)} MB that are fetched for a request.`,
    { parameter: "messages" },
  )
}
