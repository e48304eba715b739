import * as oauth from "oauth4webapi"
import { isStorableText } from "../canon/storable-text.ts"
import type { OidcSettings } from "../config/sections/sign-in.ts"
import { fetchFromIssuer, type IssuerDescription } from "./issuer.ts"
import { foldedEmail } from "../accounting/email-address.ts"

/** Timeout for all requests to the issuer during one sign-in. */
const TIMEOUT_MS = 10_000

/** Maximum length of a subject (OpenID Connect Core, section 2). */
const MAX_SUBJECT_LENGTH = 255

/** The secrets that are stored while the browser is at the issuer. */
export interface OidcSecrets {
  readonly verifier: string
  readonly nonce: string
}

/** The issuer's description of the user. */
export interface Claims {
  readonly subject: string
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  readonly name: string
}

/** The error for a sign-in that failed at an issuer. The sign-in page shows a text for its code. */
export class IssuerRejection extends Error {
  override readonly name = "IssuerRejection"
  readonly code: string

  constructor(code: string, options: { readonly cause: unknown }) {
    super(code, options)
    this.code = code
  }
}

interface Flow {
  readonly settings: OidcSettings
  readonly description: IssuerDescription
  /** The address to which the issuer redirects. */
  readonly redirectUri: string
}

export function newSecrets(): OidcSecrets {
  return { verifier: oauth.generateRandomCodeVerifier(), nonce: oauth.generateRandomNonce() }
}

/** Starts the authorization code flow with PKCE and a nonce. Returns the address at the issuer. */
export async function authorizationUrl(
  { settings, description, redirectUri }: Flow,
  state: string,
  { verifier, nonce }: OidcSecrets,
): Promise<string> {
  const url = new URL(description.authorization_endpoint)
  const scopes = new Set(["openid", ...settings.scopes])
  const parameters = {
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    scope: [...scopes].join(" "),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * Exchanges the code for an ID token and validates the token.
 * @param query the query of the callback. The caller has checked its state.
 * @throws IssuerRejection
 */
export async function claimsOf(
  flow: Flow,
  query: URLSearchParams,
  { verifier, nonce }: OidcSecrets,
): Promise<Claims> {
  const { settings, redirectUri } = flow
  // The library caches an issuer's keys by this object. With a copy, a replaced key takes effect immediately.
  const description = { ...flow.description }
  const client: oauth.Client = { client_id: settings.clientId }
  const authentication =
    settings.clientSecret === undefined
      ? oauth.None()
      : oauth.ClientSecretPost(settings.clientSecret)
  const options = optionsFor(description)
  const parameters = validated(description, client, query)
  const token = await rejecting("invalid_code", async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      description,
      client,
      authentication,
      parameters,
      redirectUri,
      verifier,
      options,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(description, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(description, response, options)
    return tokens
  })
  const claims = oauth.getValidatedIdTokenClaims(token)
  if (claims === undefined) throw new Error("a response with an ID token has no claims")
  requireOwnToken(claims, settings)
  if (claims["email"] !== undefined || description.userinfo_endpoint === undefined)
    return claimsFrom(claims)
  return rejecting("unable_to_get_user_info", async () => {
    const response = await oauth.userInfoRequest(description, client, token.access_token, options)
    return claimsFrom(
      await oauth.processUserInfoResponse(description, client, claims.sub, response),
    )
  })
}

function validated(
  description: IssuerDescription,
  client: oauth.Client,
  query: URLSearchParams,
): URLSearchParams {
  try {
    return oauth.validateAuthResponse(description, client, query, oauth.skipStateCheck)
  } catch (cause) {
    const code = cause instanceof oauth.AuthorizationResponseError ? cause.error : "issuer_mismatch"
    throw new IssuerRejection(code.slice(0, 100), { cause })
  }
}

async function rejecting<T>(code: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw new IssuerRejection(code, { cause })
  }
}

/** Rejects a token that was issued to another client (OpenID Connect Core, section 3.1.3.7, rule 5). */
function requireOwnToken({ azp }: oauth.IDToken, { clientId }: OidcSettings): void {
  if (azp === undefined || azp === clientId) return
  throw new IssuerRejection("invalid_code", { cause: new Error("'azp' names another client") })
}

function claimsFrom(claims: oauth.IDToken | oauth.UserInfoResponse): Claims {
  const { sub: subject, email, name } = claims
  if ([subject, email, name].some((claim) => typeof claim === "string" && !isStorableText(claim))) {
    const cause = new Error("a claim has a NUL character or an unpaired surrogate")
    throw new IssuerRejection("unable_to_get_user_info", { cause })
  }
  if (subject === "" || subject.length > MAX_SUBJECT_LENGTH) {
    const cause = new Error(`'sub' does not have 1 to ${MAX_SUBJECT_LENGTH} characters`)
    throw new IssuerRejection("unable_to_get_user_info", { cause })
  }
  return {
    subject,
    email: typeof email === "string" && email !== "" ? foldedEmail(email) : undefined,
    isEmailVerified: isVerified(claims),
    name: typeof name === "string" ? name : "",
  }
}

/**
 * Whether the issuer has verified the email address. Entra ID has no `email_verified` for accounts of organizations.
 * Its optional claim `xms_edov` is true if the domain of the address belongs to the tenant.
 */
function isVerified(claims: oauth.IDToken | oauth.UserInfoResponse): boolean {
  const { email_verified: verified, xms_edov: domainVerified } = claims
  if (verified !== undefined) return verified === true
  return [true, 1, "1", "true"].some((value) => value === domainVerified)
}

/** Allows an issuer without TLS if an operator has configured one, for example on the same machine. */
function optionsFor({ issuer }: IssuerDescription): {
  signal: AbortSignal
  [oauth.allowInsecureRequests]: boolean
  [oauth.customFetch]: typeof fetchFromIssuer
} {
  return {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    [oauth.allowInsecureRequests]: issuer.startsWith("http:"),
    [oauth.customFetch]: fetchFromIssuer,
  }
}
