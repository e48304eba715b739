import { withoutTrailing } from "#contract/trailing.ts"
import type { JsonObject } from "../../canon/json.ts"
import { decoded } from "../path-pattern.ts"
import { withAddress } from "../../dialects/gemini/request/decode.ts"

/** Paths of the model list for Google's clients, the older path first. Newer clients use the stable path. */
export const GOOGLE_MODEL_PATHS = ["/v1beta/models", "/v1/models"] as const

const ORIGIN = /^https?:\/\/[^/?#]*/
const BELOW = /^\/v1(?:beta)?\/models\//

/** Methods of Google's API. The address of a call ends in `{model}:{method}`. */
export const GOOGLE_METHODS = [
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
] as const

export type GoogleMethod = (typeof GOOGLE_METHODS)[number]

/** The model and the method in a URL of Google's API. */
export interface GoogleAddress {
  readonly model: string
  readonly method: string
}

/** The path that represents a method in receipts and documents. */
export type GooglePath = `/v1beta/models/{model}:${GoogleMethod}`

/** Returns the path that represents a method. */
export function googlePath(method: GoogleMethod): GooglePath {
  return `${GOOGLE_MODEL_PATHS[0]}/{model}:${method}`
}

/** Returns the name of a model in a URL. The name may contain slashes, which may be percent-encoded. */
export function modelName(pathname: string): string {
  return decoded(withoutTrailing(pathname.replace(BELOW, ""), "/"))
}

/** Splits a path into model and method. Model names may also contain colons. */
export function readGoogleAddress(pathname: string): GoogleAddress | undefined {
  if (!BELOW.test(pathname)) return undefined
  const name = modelName(pathname)
  const end = name.lastIndexOf(":")
  return end < 0 ? undefined : { model: name.slice(0, end), method: name.slice(end + 1) }
}

/**
 * Adds the model and the stream mode to a body. Google's clients put them in the URL.
 * @param url URL of the request, or its path.
 */
export function addressedBody(json: JsonObject, url: string): JsonObject {
  const [path = ""] = url.replace(ORIGIN, "").split("?", 1)
  const address = readGoogleAddress(path)
  if (address === undefined) return json
  const { model, method } = address
  return withAddress(json, { model, stream: method === "streamGenerateContent" })
}
