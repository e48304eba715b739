import { AwsV4Signer } from "aws4fetch"
import type { RequestHeaders, SignableRequest, Signer } from "./vendor.ts"

/** The key pair that signs, and its scope. */
export interface SigningKey {
  readonly service: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of a temporary pair. */
  readonly sessionToken?: string
}

/** Signs each request with AWS Signature Version 4: its address, its body, and the time. */
export class SignatureSigner implements Signer {
  readonly #key: SigningKey
  /** The keys that are derived from the secret, one a day. */
  readonly #derived = new Map<string, ArrayBuffer>()

  constructor(key: SigningKey) {
    this.#key = key
  }

  async sign({ url, body, method = "POST" }: SignableRequest): Promise<RequestHeaders> {
    const request = { ...this.#key, url, method, body, cache: this.#derived }
    const { headers } = await new AwsV4Signer(request).sign()
    return Object.fromEntries(headers)
  }
}
