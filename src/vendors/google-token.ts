import { createPrivateKey } from "node:crypto"
import { readFile } from "node:fs/promises"
import { z } from "zod"
import { GatewayError } from "../canon/errors.ts"
import { OperatorCause } from "../wire/operator-cause.ts"
import type {
  AuthorizedUser,
  ExternalAccount,
  GoogleCredentials,
  ServiceAccount,
} from "../config/settings.ts"
import {
  type CredentialRequest,
  type CredentialService,
  credentialText,
  parsedJson,
  requestCredential,
  requestMetadata,
  withoutCredential,
} from "./credential-request.ts"
import type { Temporary } from "./renewed-credential.ts"

const SCOPE = "https://www.googleapis.com/auth/cloud-platform"
/** The grant type of RFC 7523, which exchanges a signed claim for a token. */
const SIGNED_CLAIM = ["urn", "ietf", "params", "oauth", "grant-type", "jwt-bearer"].join(":")
/** The grant type of RFC 8693, which exchanges a token of another issuer for a token. */
const TOKEN_EXCHANGE = ["urn", "ietf", "params", "oauth", "grant-type", "token-exchange"].join(":")
const ACCESS_TOKEN = ["urn", "ietf", "params", "oauth", "token-type", "access_token"].join(":")

const METADATA_HOST = "metadata.google.internal"
const METADATA_PATH = "/computeMetadata/v1/instance/service-accounts/default/token"

const tokenSchema = z.object({ access_token: credentialText, expires_in: z.number() })
const impersonatedSchema = z.object({
  accessToken: credentialText,
  expireTime: z.iso.datetime({ offset: true }),
})
const rejectionSchema = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) })

const TOKEN_SERVICE: CredentialService = {
  name: "Google's token service",
  errorCode: (text) => rejectionSchema.safeParse(parsedJson(text)).data?.error,
}
const METADATA: CredentialService = { name: "The metadata service of this Google Cloud machine" }
const ISSUER: CredentialService = { name: "The issuer of this machine's identity token" }

/**
 * Returns an access token for Google's APIs.
 * @param credentials `machine`: the service account of the machine or the pod.
 * @throws GatewayError `upstream_error`, `upstream_timeout`.
 */
export async function googleToken(
  credentials: GoogleCredentials | "machine",
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Temporary<string>> {
  if (credentials === "machine") {
    const host = environment["GCE_METADATA_HOST"] || METADATA_HOST
    const url = `http://${host}${METADATA_PATH}`
    const headers = { "metadata-flavor": "Google" }
    return tokenIn(METADATA, Date.now(), await requestMetadata(METADATA, url, { headers }))
  }
  if ("privateKey" in credentials) return serviceAccountToken(credentials)
  return "refreshToken" in credentials ? userToken(credentials) : externalToken(credentials)
}

/** Exchanges a claim, signed with the account's key, for a token at the account's token address. */
async function serviceAccountToken(account: ServiceAccount): Promise<Temporary<string>> {
  const assertion = await signedClaim(account)
  return exchange(account.tokenUri, { grant_type: SIGNED_CLAIM, assertion })
}

/** Returns a signed claim with the account and the scope, which is valid for an hour. */
async function signedClaim(account: ServiceAccount): Promise<string> {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = account
  // This module is loaded on first use, because loading it takes a large part of the startup time.
  const { SignJWT } = await import("jose")
  try {
    // Keys are parsed here, because Web Cryptography leaves an error behind if it cannot read a key, and the next hash
    // would fail with this error.
    const key = createPrivateKey(privateKey)
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        alg: "RS256",
        typ: "JWT",
        ...(privateKeyId === undefined ? {} : { kid: privateKeyId }),
      })
      .setIssuer(clientEmail)
      .setAudience(tokenUri)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(key)
  } catch (error) {
    throw new GatewayError(
      "upstream_error",
      "The service account's private key cannot be used. The operator has to correct its credentials.",
      {
        cause: new OperatorCause("the service account's private key cannot be used", {
          cause: error,
        }),
      },
    )
  }
}

function userToken(user: AuthorizedUser): Promise<Temporary<string>> {
  return exchange(user.tokenUri, {
    grant_type: "refresh_token",
    client_id: user.clientId,
    client_secret: user.clientSecret,
    refresh_token: user.refreshToken,
  })
}

/**
 * Returns a token through workload identity federation. It exchanges a token of another issuer, and then impersonates a
 * service account.
 */
async function externalToken(account: ExternalAccount): Promise<Temporary<string>> {
  const federated = await exchange(account.tokenUri, {
    grant_type: TOKEN_EXCHANGE,
    audience: account.audience,
    scope: SCOPE,
    requested_token_type: ACCESS_TOKEN,
    subject_token: await subjectToken(account.source),
    subject_token_type: account.subjectTokenType,
  })
  if (account.impersonationUrl === undefined) return federated
  const text = await requestCredential(TOKEN_SERVICE, account.impersonationUrl, {
    headers: {
      authorization: `Bearer ${federated.value}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ scope: [SCOPE], lifetime: "3600s" }),
  })
  const { data } = impersonatedSchema.safeParse(parsedJson(text))
  if (data === undefined) throw withoutCredential(TOKEN_SERVICE)
  return { value: data.accessToken, expiresAt: Date.parse(data.expireTime) }
}

/**
 * Returns the token of the other issuer. It is read each time, because the platform replaces the token before it
 * expires.
 */
async function subjectToken(source: ExternalAccount["source"]): Promise<string> {
  const text = "file" in source ? await fileText(source.file) : await issuedText(source)
  const token =
    source.field === undefined
      ? text.trim()
      : z.record(z.string(), z.unknown()).safeParse(parsedJson(text)).data?.[source.field]
  if (typeof token === "string" && token !== "") return token
  throw withoutCredential(ISSUER)
}

function issuedText({ url, headers }: { url: string } & CredentialRequest): Promise<string> {
  const request = { method: "GET", headers: headers ?? {} } as const
  return url.startsWith("https:")
    ? requestCredential(ISSUER, url, request)
    : requestMetadata(ISSUER, url, request)
}

async function fileText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8")
  } catch (cause) {
    throw new GatewayError(
      "upstream_error",
      "The token file of the configured credentials cannot be read. The operator has to correct the credentials.",
      { cause: new OperatorCause("the token file of the credentials cannot be read", { cause }) },
    )
  }
}

async function exchange(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Temporary<string>> {
  const now = Date.now()
  const text = await requestCredential(TOKEN_SERVICE, url, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  })
  return tokenIn(TOKEN_SERVICE, now, text)
}

/**
 * Returns the token in a response.
 * @param requestedAt time of the request in Unix milliseconds.
 */
function tokenIn(service: CredentialService, requestedAt: number, text: string): Temporary<string> {
  const { data } = tokenSchema.safeParse(parsedJson(text))
  if (data === undefined) throw withoutCredential(service)
  return { value: data.access_token, expiresAt: requestedAt + data.expires_in * 1000 }
}
