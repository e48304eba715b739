import { AwsV4Signer } from "aws4fetch"
import type { ProviderSettings } from "../config/settings.ts"
import type { SettingVariables } from "../config/vendors.ts"
import { BEDROCK_CONVERSE } from "../dialects/bedrock-converse/index.ts"
import { bedrockEmbedding } from "../dialects/embedding/formats/bedrock.ts"
import { BEDROCK_IMAGES } from "../dialects/image/formats/bedrock.ts"
import { awsAddress, machineKey, type AwsKey } from "./aws-identity.ts"
import { RenewedCredential } from "./renewed-credential.ts"
import { bearerSigner } from "./static-signer.ts"
import type { Signer, Vendor, RequestHeaders, SignableRequest } from "./vendor.ts"

const REGION: SettingVariables = { region: ["AWS_REGION", "AWS_DEFAULT_REGION"] }

/**
 * Amazon Bedrock's Converse API (docs/contribute/wire/bedrock-converse.md#f1). An API key takes precedence over a key
 * pair.
 */
export const BEDROCK: Vendor = {
  id: "bedrock",
  name: "Amazon Bedrock",
  keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
  variableSets: [
    { needed: { api_key: ["AWS_BEARER_TOKEN_BEDROCK"], ...REGION } },
    {
      needed: {
        access_key_id: ["AWS_ACCESS_KEY_ID"],
        secret_access_key: ["AWS_SECRET_ACCESS_KEY"],
        ...REGION,
      },
      optional: { session_token: ["AWS_SESSION_TOKEN"] },
      isShared: true,
    },
  ],
  settings: [
    "api_key",
    "region",
    "access_key_id",
    "secret_access_key",
    "session_token",
    "identity",
  ],
  needs: [
    ["api_key", "region"],
    ["access_key_id", "secret_access_key", "region"],
    ["identity", "region"],
  ],
  chat: [
    {
      dialect: BEDROCK_CONVERSE,
      // The model is encoded, because model names contain colons and names of inference profiles also contain slashes.
      path: (model, stream) =>
        `/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`,
    },
  ],
  operations: {
    embedding: bedrockEmbedding(BEDROCK_CONVERSE.decodeError),
    image: BEDROCK_IMAGES,
  },
  baseUrlOf: (provider) => provider.baseUrl ?? addressOf("bedrock-runtime", provider),
  signer,
  probe(provider) {
    const address = addressOf("bedrock", provider)
    if (provider.baseUrl !== undefined || address === undefined) {
      return { known: "its credential is not tested at a custom base_url" }
    }
    return { url: `${address}/foundation-models` }
  },
}

function addressOf(service: string, { region }: ProviderSettings): string | undefined {
  return region === undefined ? undefined : awsAddress(service, region)
}

function signer(provider: ProviderSettings): Signer {
  const { apiKey, accessKeyId, secretAccessKey, sessionToken, region = "" } = provider
  const scope = { service: "bedrock", region }
  if (apiKey !== undefined) return bearerSigner(apiKey)
  if (provider.identity === "machine") {
    const key = new RenewedCredential(() => machineKey(region))
    return new SignatureSigner(scope, () => key.get())
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error("a bedrock provider has no complete credential")
  }
  const pair = {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
  return new SignatureSigner(scope, () => pair)
}

interface SigningScope {
  readonly service: string
  readonly region: string
}

/** Signs each request with AWS Signature Version 4: its address, its body, and the time. */
class SignatureSigner implements Signer {
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
