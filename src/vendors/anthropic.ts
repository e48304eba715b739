import { isUnbilled } from "../dialects/anthropic-messages/finish.ts"
import { ANTHROPIC_MESSAGES } from "../dialects/anthropic-messages/index.ts"
import { ANTHROPIC_VERSION, binding } from "./bindings.ts"
import { headerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.anthropic.com"

/** Anthropic's own API (docs/contribute/wire/anthropic-messages.md). */
export const ANTHROPIC: Vendor = {
  id: "anthropic",
  name: "Anthropic",
  baseUrl: BASE_URL,
  keyVariables: ["ANTHROPIC_API_KEY"],
  chat: [{ ...binding(ANTHROPIC_MESSAGES, "/v1/messages", ANTHROPIC_VERSION), webSearch: true }],
  isUnbilled,
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => headerSigner("x-api-key", apiKey),
  probe: ({ baseUrl = BASE_URL }) => ({
    url: `${baseUrl}/v1/models`,
    list: `${baseUrl}/v1/models?limit=1000`,
  }),
}
