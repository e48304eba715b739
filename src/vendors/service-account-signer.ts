import { createPrivateKey } from "node:crypto"
import { z } from "zod"
import { GatewayError } from "../canon/errors.ts"
import type { ServiceAccount } from "../config/settings.ts"
import type { RequestHeaders, Signer } from "./vendor.ts"

const SCOPE = "https://www.googleapis.com/auth/cloud-platform"
/** RFC 7523's grant type: a token in exchange for a signed claim. */
const GRANT_TYPE = ["urn", "ietf", "params", "oauth", "grant-type", "jwt-bearer"].join(":")

/** How long Google may take to give a token, milliseconds. */
const PATIENCE = 10_000
/** A token is not used in its last minute: a request takes time to arrive. Milliseconds. */
const MARGIN = 60_000

const answerSchema = z.object({ access_token: z.string().min(1), expires_in: z.number() })
const refusalSchema = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) })

/**
 * Signs with a token that a service account's key is exchanged for: a claim signed with the key is sent to the
 * account's token address, as in RFC 7523. The token is cached while it is valid, and requests that wait for a
 * new one share one exchange.
 */
export class ServiceAccountSigner implements Signer {
  readonly #account: ServiceAccount
  /** The latest two: running requests were signed with the previous one. */
  #tokens: readonly string[] = []
  #headers: RequestHeaders | undefined
  /** Unix milliseconds until which the headers may be used. */
  #goodUntil = 0
  #exchange: Promise<RequestHeaders> | undefined

  constructor(account: ServiceAccount) {
    this.#account = account
  }

  sign(): RequestHeaders | Promise<RequestHeaders> {
    if (this.#headers !== undefined && Date.now() < this.#goodUntil) return this.#headers
    this.#exchange ??= this.#renew().finally(() => {
      this.#exchange = undefined
    })
    return this.#exchange
  }

  secrets(): readonly string[] {
    return this.#tokens
  }

  async #renew(): Promise<RequestHeaders> {
    const now = Date.now()
    const { access_token: token, expires_in: seconds } = await this.#askForToken()
    this.#tokens = [token, ...this.#tokens.slice(0, 1)]
    this.#headers = Object.freeze({ authorization: `Bearer ${token}` })
    this.#goodUntil = now + seconds * 1000 - MARGIN
    return this.#headers
  }

  async #askForToken(): Promise<z.output<typeof answerSchema>> {
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: await this.#claim() })
    const response = await this.#post(body)
    const answer: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw refusal(response.status, refusalSchema.safeParse(answer).data?.error)
    const { data } = answerSchema.safeParse(answer)
    if (data !== undefined) return data
    throw new GatewayError(
      "upstream_error",
      "Google's token service gave an answer without a token.",
    )
  }

  async #post(body: URLSearchParams): Promise<Response> {
    try {
      return await fetch(this.#account.tokenUri, {
        method: "POST",
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE),
      })
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError"
      throw new GatewayError(
        isLate ? "upstream_timeout" : "upstream_error",
        "Google's token service cannot be reached. Try again later.",
        { cause: error },
      )
    }
  }

  /** The claim that is exchanged: the account and the scope, valid for an hour. */
  async #claim(): Promise<string> {
    const { clientEmail, privateKey, privateKeyId, tokenUri } = this.#account
    // Loaded on first use: it would be a large part of every start.
    const { SignJWT } = await import("jose")
    try {
      // When Web Cryptography cannot read a key, it leaves an error behind that the next hash would fail with.
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
        { cause: error },
      )
    }
  }
}

/** @param code Google's error code, such as `invalid_grant`. */
function refusal(status: number, code: string | undefined): GatewayError {
  if (status >= 500 || status === 429) {
    return new GatewayError(
      "upstream_error",
      `Google's token service failed with status ${status}.`,
    )
  }
  return new GatewayError(
    "upstream_error",
    `Google refused the credentials that the operator of this gateway configured (${code ?? status}).`,
  )
}
