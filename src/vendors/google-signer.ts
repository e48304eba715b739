import type { GoogleCredentials } from "../config/settings.ts"
import { googleToken } from "./google-token.ts"
import { RenewedCredential } from "./renewed-credential.ts"
import type { RequestHeaders, Signer } from "./vendor.ts"

/**
 * Signs requests with a token that Google's token service returns for a credential, or for the identity of this
 * machine.
 */
export class GoogleSigner implements Signer {
  readonly #headers: RenewedCredential<RequestHeaders>
  /** The latest two tokens, because running requests may have been signed with the previous one. */
  #tokens: readonly string[] = []

  constructor(credentials: GoogleCredentials | "machine") {
    this.#headers = new RenewedCredential(async () => {
      const { value: token, expiresAt } = await googleToken(credentials)
      this.#tokens = [token, ...this.#tokens.slice(0, 1)]
      return { value: Object.freeze({ authorization: `Bearer ${token}` }), expiresAt }
    })
  }

  sign(): RequestHeaders | Promise<RequestHeaders> {
    return this.#headers.get()
  }

  secrets(): readonly string[] {
    return this.#tokens
  }
}
