import type { JsonObject } from "../../canon/json.ts"
import { GEMINI, withAddress } from "../../dialects/gemini/index.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"
import { addressedOf, googlePath, readGoogleAddress } from "./google-address.ts"

const ORIGIN = /^https?:\/\/[^/?#]*/

/** Adds the model and the stream mode to the body. Google's clients put them in the URL. */
function bodyAt(json: JsonObject, url: string): JsonObject {
  const [path = ""] = url.replace(ORIGIN, "").split("?", 1)
  const address = readGoogleAddress(path)
  return address === undefined ? json : withAddress(json, addressedOf(address))
}

/** `POST /v1beta/models/{model}:generateContent` */
export const GENERATE_CONTENT: ChatEndpoint = {
  path: googlePath("generateContent"),
  dialect: GEMINI,
  bodyAt,
}

/** `POST /v1beta/models/{model}:streamGenerateContent` */
export const STREAM_GENERATE_CONTENT: ChatEndpoint = {
  path: googlePath("streamGenerateContent"),
  dialect: GEMINI,
  bodyAt,
}
