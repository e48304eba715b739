import { type IncomingMessage, request } from "node:http"
import { z } from "zod"
import { boundedText } from "../canon/bounded-text.ts"
import { GatewayError } from "../canon/errors.ts"
import { OperatorCause } from "../wire/operator-cause.ts"
import { ConnectionError, connectionErrorOf } from "../wire/http/connection-error.ts"
import { fetchInSteps } from "../wire/http/fetched.ts"

/** Timeout of a request for a credential. */
const TIMEOUT_MS = 10_000
/** Timeout of a request to the machine's own metadata service, which is one hop away. */
const METADATA_TIMEOUT_MS = 2_000
/** Limits of a document with a credential. Real documents have a few kilobytes. */
const DOCUMENT_LIMITS = { maxBytes: 64 * 1024, maxValues: 10_000 }

/** Accepts a credential that can be the value of a header. */
export const credentialText = z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/)

/** The error if a service that issues credentials could not be reached. The credential itself may be correct. */
export class ServiceUnreachable extends OperatorCause {}

export interface CredentialRequest {
  readonly method?: "GET" | "POST" | "PUT"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface CredentialService {
  /** The name of the service in error messages, such as `Google's token service`. */
  readonly name: string
  /** Returns the service's error code from an error response, such as `invalid_grant`. */
  readonly errorCode?: (text: string) => string | undefined
}

/**
 * Requests a credential from a service on the network.
 * @returns the body of a successful response.
 * @throws GatewayError `upstream_error`, `upstream_timeout`.
 */
export async function requestCredential(
  service: CredentialService,
  url: string,
  { method = "POST", headers, body }: CredentialRequest,
): Promise<string> {
  let status: number
  let text: string
  try {
    const response = await fetchInSteps(url, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = response.status
    text = await documentText(response.body)
  } catch (error) {
    throw unreachable(service, error)
  }
  return acceptedText(service, status, text)
}

/**
 * Requests a credential from the machine's own metadata service. The request never goes through a proxy, which would
 * return the credential of the proxy's machine.
 * @returns the body of a successful response.
 * @throws GatewayError `upstream_error`, `upstream_timeout`.
 */
export async function requestMetadata(
  service: CredentialService,
  url: string,
  { method = "GET", headers = {} }: CredentialRequest,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const signal = AbortSignal.timeout(METADATA_TIMEOUT_MS)
  try {
    const sent = request(url, { method, headers, signal }, resolve)
    sent.on("error", reject)
    sent.end()
    const response = await promise
    return acceptedText(service, response.statusCode ?? 0, await documentText(response))
  } catch (error) {
    throw error instanceof GatewayError ? error : unreachable(service, error)
  }
}

/**
 * Reads a document with a credential.
 * @throws ConnectionError if it is longer or more complex than any document with a credential.
 */
async function documentText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const text = await boundedText(body, DOCUMENT_LIMITS)
  if (text !== undefined) return text
  const words = `its response is too complex or larger than ${DOCUMENT_LIMITS.maxBytes / 1024} KB`
  throw new ConnectionError("idle", "EMSGSIZE", words)
}

function acceptedText({ name, errorCode }: CredentialService, status: number, text: string) {
  if (status >= 200 && status < 300) return text
  if (status >= 500 || status === 429) {
    const words = `${name} failed with status ${status}`
    throw new GatewayError("upstream_error", `${words}.`, { cause: new OperatorCause(words) })
  }
  const code = errorCode?.(text) ?? status
  throw new GatewayError(
    "upstream_error",
    `${name} rejected the credentials that the operator of this gateway configured (${code}).`,
    { cause: new OperatorCause(`${name} returned no credential (${code})`) },
  )
}

function unreachable({ name }: CredentialService, error: unknown): GatewayError {
  const isLate =
    error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")
  const { message } = isLate
    ? new ConnectionError("first_byte", "ETIMEDOUT", "it did not answer in time")
    : connectionErrorOf(error)
  return new GatewayError(
    isLate ? "upstream_timeout" : "upstream_error",
    `${name} cannot be reached. Try again later.`,
    { cause: new ServiceUnreachable(`${name} cannot be reached: ${message}`, { cause: error }) },
  )
}

/** Returns the error for a successful response that contains no credential. */
export function withoutCredential({ name }: CredentialService): GatewayError {
  const words = `${name} returned a response without a credential`
  return new GatewayError("upstream_error", `${words}.`, { cause: new OperatorCause(words) })
}

/** Returns the JSON of a response; undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
