import { GatewayError } from "../canon/errors.ts"
import type { OidcSettings } from "../config/sign-in-settings.ts"

/** How long an issuer may take to describe itself, milliseconds. */
const PATIENCE = 10_000
const DISCOVERY_PATH = "/.well-known/openid-configuration"

/** Where an issuer describes itself. */
export function discoveryUrlOf(issuer: string): string {
  const base = issuer.replace(/\/+$/, "")
  return base.endsWith(DISCOVERY_PATH) ? base : base + DISCOVERY_PATH
}

/**
 * Looks whether an issuer describes itself as it should, before anyone is sent to it.
 * @throws GatewayError `upstream_error`, with what the operator has to look at.
 */
export async function requireIssuer(issuer: OidcSettings): Promise<void> {
  const fault = await faultOf(issuer)
  if (fault === undefined) return
  throw new GatewayError(
    "upstream_error",
    `${issuer.name} cannot sign people in now: ${fault}. Sign in with a password, or tell the operator.`,
  )
}

async function faultOf({ issuer }: OidcSettings): Promise<string | undefined> {
  const discoveryUrl = discoveryUrlOf(issuer)
  let document: Record<string, unknown> | null
  try {
    const response = await fetch(discoveryUrl, { signal: AbortSignal.timeout(PATIENCE) })
    if (!response.ok) return `its description was refused with status ${response.status}`
    document = (await response.json()) as Record<string, unknown> | null
  } catch {
    return "its description could not be fetched"
  }
  const needed = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]
  const missing = needed.find((name) => typeof document?.[name] !== "string")
  if (missing !== undefined) return `its description has no '${missing}'`
  // Whoever answers here must be who they say they are (OpenID Connect Discovery 1.0, 4.3).
  const isItself = discoveryUrlOf(String(document?.["issuer"])) === discoveryUrl
  return isItself ? undefined : "its description names another issuer"
}
