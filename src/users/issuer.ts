import { withoutTrailing } from "#contract/trailing.ts"
import type { AuthorizationServer } from "oauth4webapi"
import { boundedBytes } from "../canon/bounded-text.ts"
import { GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sections/sign-in.ts"
import { fetchInSteps } from "../wire/http/fetched.ts"

const DISCOVERY_TIMEOUT_MS = 10_000
/** Limits of a response of an issuer. Descriptions, keys and tokens have a few kilobytes. */
const RESPONSE_LIMITS = { maxBytes: 1024 * 1024, maxValues: 20_000 }
const DISCOVERY_PATH = "/.well-known/openid-configuration"
const NEEDED = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] as const

/** An issuer's metadata, with the fields that signing in needs. */
export type IssuerDescription = AuthorizationServer & {
  readonly authorization_endpoint: string
}

/** The reason why an issuer cannot be used. */
export class IssuerFault extends Error {
  override readonly name = "IssuerFault"
  /** The next step of the operator, as a sentence. */
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

/**
 * Fetches an issuer's metadata.
 * @throws GatewayError `upstream_error`, with a reason for the operator.
 */
export async function describeIssuer({ issuer, name }: OidcSettings): Promise<IssuerDescription> {
  try {
    return await fetchDescription(issuer)
  } catch (error) {
    if (error instanceof IssuerFault) throw cannotSignIn(name, error.message)
    throw error
  }
}

/**
 * Fetches an issuer's metadata.
 * @throws IssuerFault
 */
export async function fetchDescription(issuer: string): Promise<IssuerDescription> {
  const url = discoveryUrlOf(issuer)
  const document = await fetchDocument(url, "description")
  const missing = NEEDED.find((field) => !isWebAddress(document[field]))
  if (missing !== undefined) {
    throw new IssuerFault(
      `its discovery document has no HTTP URL as '${missing}'`,
      "Check that the address is the one of an OpenID Connect issuer.",
    )
  }
  // The metadata must name the requested issuer (OpenID Connect Discovery 1.0, 4.3).
  if (discoveryUrlOf(String(document["issuer"])) !== url) {
    throw new IssuerFault(
      "its description names another issuer",
      "Enter the issuer exactly as in its discovery document.",
    )
  }
  return document as IssuerDescription & Record<string, unknown>
}

/**
 * Fetches the keys of an issuer, which verify its ID tokens.
 * @returns the number of keys.
 * @throws IssuerFault
 */
export async function fetchKeyCount({ jwks_uri: address }: IssuerDescription): Promise<number> {
  const { keys } = await fetchDocument(String(address), "list of keys")
  if (Array.isArray(keys) && keys.length > 0) return keys.length
  throw new IssuerFault(
    "its list of keys is empty",
    "Check the signing keys in the settings of the issuer.",
  )
}

/** Whether text is an HTTP URL. Browsers are sent to this address, so it must not be a script. */
function isWebAddress(text: unknown): boolean {
  const protocol = typeof text === "string" ? URL.parse(text)?.protocol : undefined
  return protocol === "https:" || protocol === "http:"
}

async function fetchDocument(url: string, what: string): Promise<Record<string, unknown>> {
  let response: Response
  let document: unknown
  try {
    response = await fetchFromIssuer(url, { signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) })
    document = response.ok ? await response.json() : null
  } catch {
    throw new IssuerFault(
      `its ${what} could not be fetched`,
      "Check the address of the issuer, and that the gateway can reach it.",
    )
  }
  if (!response.ok) {
    throw new IssuerFault(
      `its ${what} was rejected with status ${response.status}`,
      "Check the address of the issuer, including its path.",
    )
  }
  return typeof document === "object" && document !== null
    ? (document as Record<string, unknown>)
    : {}
}

/**
 * Requests a response of an issuer, whose length and complexity are limited.
 * @throws Error if the response exceeds a limit.
 */
export async function fetchFromIssuer(url: string, init: RequestInit): Promise<Response> {
  const response = await fetchInSteps(url, init)
  const bytes = await boundedBytes(response.body, RESPONSE_LIMITS)
  if (bytes === undefined) throw new Error("the response of the issuer is too long or too complex")
  const { status, headers } = response
  return new Response(bytes.length === 0 ? null : bytes, { status, headers })
}

/** Returns the address of an issuer's metadata. */
function discoveryUrlOf(issuer: string): string {
  const base = withoutTrailing(issuer, "/")
  return base.endsWith(DISCOVERY_PATH) ? base : base + DISCOVERY_PATH
}

function cannotSignIn(name: string, fault: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `${name} cannot sign people in now: ${fault}. Sign in with a password, or tell the operator.`,
  )
}
