import { COHERE_CHAT } from "../dialects/cohere-chat/index.ts"
import { offer } from "./offers.ts"
import { bearerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.cohere.com"

/** Cohere's API, version 2 for chat (WIRE.md 7). */
export const COHERE: Vendor = {
  id: "cohere",
  name: "Cohere",
  baseUrl: BASE_URL,
  keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
  chat: [offer(COHERE_CHAT, "/v2/chat")],
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => bearerSigner(apiKey),
  probe: ({ baseUrl = BASE_URL }) => ({ url: `${baseUrl}/v1/models` }),
}
