import { STABILITY_IMAGES } from "../dialects/image/formats/stability.ts"
import { bearerSigner } from "./static-signer.ts"
import type { Vendor } from "./vendor.ts"

const BASE_URL = "https://api.stability.ai"

/** Stability AI's own API, version 2beta (docs/contribute/wire/images.md#f6). It has no chat. */
export const STABILITY: Vendor = {
  id: "stability",
  name: "Stability AI",
  baseUrl: BASE_URL,
  keyVariables: ["STABILITY_API_KEY"],
  chat: [],
  operations: { image: STABILITY_IMAGES },
  baseUrlOf: ({ baseUrl = BASE_URL }) => baseUrl,
  signer: ({ apiKey }) => bearerSigner(apiKey),
  probe: ({ baseUrl = BASE_URL }) => ({ url: `${baseUrl}/v1/user/balance` }),
}
