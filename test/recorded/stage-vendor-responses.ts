import { generateKeyPairSync } from "node:crypto"
import type { ProviderSettings, ServiceAccount } from "../../src/config/settings.ts"
import { provider } from "../support/gateway.ts"
import type { Replay } from "../support/replaying-vendor.ts"
import type { Staged } from "./replay-gateway.ts"
import type { VendorResponse } from "./vendor-responses.ts"

/**
 * Returns a recorded response as a response of a provider of its vendor, with its dialect.
 *
 * @param seed if it is given, the bytes are cut at random positions.
 */
export function stagedResponse(response: VendorResponse, seed?: number): Staged {
  const { id, dialect, vendor, status, headers, body } = response
  const replay: Replay = {
    status,
    headers,
    ...(typeof body === "string" ? { body } : { body: "", bytes: body }),
    ...(seed === undefined ? {} : { seed }),
  }
  const settings = (url: string): ProviderSettings => settingsOf(response, url)
  return { id, provider: `${vendor}-${dialect}`, vendor, dialect, settings, replay }
}

function settingsOf({ vendor, dialect }: VendorResponse, url: string): ProviderSettings {
  switch (vendor) {
    case "anthropic":
    case "cohere":
    case "google":
      return provider(url, vendor)
    case "bedrock":
      return { ...provider(url, vendor), region: "us-east-1" }
    case "vertex":
      return { ...provider(url, vendor), credentials: { ...ACCOUNT, tokenUri: `${url}/token` } }
    case "openai-compatible":
      return { ...provider(`${url}/v1`, vendor), dialects: [dialect] }
    default:
      return provider(`${url}/v1`, vendor)
  }
}

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
})

const ACCOUNT: Omit<ServiceAccount, "tokenUri"> = {
  clientEmail: "robot@example.iam.gserviceaccount.com",
  privateKey,
  projectId: "example",
}
