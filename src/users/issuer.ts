import { withoutTrailing } from "#contract/trailing.ts"
import type { AuthorizationServer } from "oauth4webapi"
import { boundedBytes } from "../canon/bounded-text.ts"
import { GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sections/sign-in.ts"
import { fetchInSteps } from "../wire/http/fetched.ts"

const DISCOVERY_TIMEOUT_MS = 10_000
/** Limits of a response of an issuer. Descriptions, keys and tokens have a few kilobytes. */
const ANSWER_LIMITS = { maxBytes: 1024 * 1024, maxValues: 20_000 }
const DISCOVERY_PATH = "/.well-known/openid-configuration"
const NEEDED = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] as const

/** An issuer's metadata, with the fields that signing in needs. */
export type IssuerDescription = AuthorizationServer & {
  readonly authorization_endpoint: string
}

/**
 * Fetches an issuer's metadata.
 * @throws GatewayError `upstream_error`, with a reason for the operator.
 */
export async function describeIssuer({ issuer, name }: OidcSettings): Promise<IssuerDescription> {
  const url = discoveryUrlOf(issuer)
  const document = await fetchDescription(url, name)
  const missing = NEEDED.find((field) => !isWebAddress(document[field]))
  if (missing !== undefined)
    throw cannotSignIn(name, `its discovery document has no HTTP URL as '${missing}'`)
  // The metadata must name the requested issuer (OpenID Connect Discovery 1.0, 4.3).
  if (discoveryUrlOf(String(document["issuer"])) !== url)
    throw cannotSignIn(name, "its description names another issuer")
  return document as IssuerDescription & Record<string, unknown>
}

/** Whether text is an HTTP URL. Browsers are sent to this address, so it must not be a script. */
function isWebAddress(text: unknown): boolean {
  const protocol = typeof text === "string" ? URL.parse(text)?.protocol : undefined
  return protocol === "https:" || protocol === "http:"
}

async function fetchDescription(url: string, name: string): Promise<Record<string, unknown>> {
  let response: Response
  let document: unknown
  try {
    response = await fetchFromIssuer(url, { signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) })
    document = response.ok ? await response.json() : null
  } catch {
    throw cannotSignIn(name, "its description could not be fetched")
  }
  if (!response.ok)
    throw cannotSignIn(name, `its description was refused with status ${response.status}`)
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
  const bytes = await boundedBytes(response.body, ANSWER_LIMITS)
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
