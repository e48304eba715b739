import { decodeCountRequest, GEMINI, withAddress } from "../../dialects/gemini/index.ts"
import type { CountEndpoint } from "./count-tokens.ts"
import { addressedOf, googlePath, readGoogleAddress } from "./google-address.ts"

/** `POST /v1beta/models/{model}:countTokens` */
export const CONTENT_TOKENS: CountEndpoint = {
  path: googlePath("countTokens"),
  dialect: GEMINI,
  read(json, path) {
    const address = readGoogleAddress(path)
    return decodeCountRequest(
      address === undefined ? json : withAddress(json, addressedOf(address)),
    )
  },
  report: (tokens) => ({ totalTokens: tokens }),
}
