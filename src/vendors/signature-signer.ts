import { AwsV4Signer } from "aws4fetch"
import type { AwsKey } from "./aws-identity.ts"
import type { RequestHeaders, SignableRequest, Signer } from "./vendor.ts"

export interface SigningScope {
  readonly service: string
  readonly region: string
}

/** Signs each request with AWS Signature Version 4: its address, its body, and the time. */
export class SignatureSigner implements Signer {
  readonly #scope: SigningScope
  readonly #key: () => AwsKey | Promise<AwsKey>
  /** The keys that are derived from the secret. There is one for each day. */
  #derived = new Map<string, ArrayBuffer>()
  /** The latest two temporary key pairs, because running requests may have been signed with the previous one. */
  #latest: readonly AwsKey[] = []

  /** @param key returns the key pair to sign with. It returns a new object if the pair has changed. */
  constructor(scope: SigningScope, key: () => AwsKey | Promise<AwsKey>) {
    this.#scope = scope
    this.#key = key
  }

  async sign({ url, body, method = "POST" }: SignableRequest): Promise<RequestHeaders> {
    const key = await this.#key()
    if (key !== this.#latest[0]) {
      this.#latest = [key, ...this.#latest.slice(0, 1)]
      this.#derived = new Map()
    }
    const request = { ...this.#scope, ...key, url, method, body, cache: this.#derived }
    const { headers } = await new AwsV4Signer(request).sign()
    return Object.fromEntries(headers)
  }

  secrets(): readonly string[] {
    return this.#latest.flatMap(({ accessKeyId, secretAccessKey, sessionToken }) => [
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? [] : [sessionToken]),
    ])
  }
}
