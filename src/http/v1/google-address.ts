import { withoutTrailing } from "#contract/trailing.ts"
import type { Addressed } from "../../dialects/gemini/index.ts"

/** Where Google's clients look for models, the older ones first: newer ones have left the beta. */
export const GOOGLE_MODEL_PATHS = ["/v1beta/models", "/v1/models"] as const

const BELOW = /^\/v1(?:beta)?\/models\//

/** What can be asked of a model; `{model}:{method}` is the end of its address. */
export const GOOGLE_METHODS = [
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
] as const

export type GoogleMethod = (typeof GOOGLE_METHODS)[number]

/** What an address asks of a model. */
export interface GoogleAddress {
  readonly model: string
  readonly method: string
}

/** The path of a method, as receipts and documents name it. */
export type GooglePath = `/v1beta/models/{model}:${GoogleMethod}`

/** The path of a method. */
export function googlePath(method: GoogleMethod): GooglePath {
  return `${GOOGLE_MODEL_PATHS[0]}/{model}:${method}`
}

/** The name of a model in its address: it may hold slashes, as it is or encoded. */
export function modelName(pathname: string): string {
  const text = withoutTrailing(pathname.replace(BELOW, ""), "/")
  try {
    return decodeURIComponent(text)
  } catch {
    // What cannot be decoded is not the name of a model, and is reported as such.
    return text
  }
}

/** The model and the method of a path; names of models may hold colons too. */
export function readGoogleAddress(pathname: string): GoogleAddress | undefined {
  if (!BELOW.test(pathname)) return undefined
  const name = modelName(pathname)
  const end = name.lastIndexOf(":")
  return end < 0 ? undefined : { model: name.slice(0, end), method: name.slice(end + 1) }
}

/** The same as the dialect has it. */
export function addressedOf({ model, method }: GoogleAddress): Addressed {
  return { model, stream: method === "streamGenerateContent" }
}
