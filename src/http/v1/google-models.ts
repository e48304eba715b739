import { invalidValue } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Model } from "../../catalog/model.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { jsonAnswer } from "../answers.ts"
import { authenticated } from "../authenticated.ts"
import { hasGoogleKey, withoutKeyInUrl } from "../google-key.ts"
import type { Handler } from "../server.ts"
import { errorIn } from "./chat-endpoint.ts"
import { modelName } from "./google-address.ts"
import type { ModelServices } from "./models.ts"

const PREFIX = "models/"

const METHODS: Readonly<Partial<Record<Model["kind"], readonly string[]>>> = {
  chat: ["generateContent", "streamGenerateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
}

/**
 * `GET /v1beta/models` in Google's form for who comes with a key as Google's clients send it.
 * @param usual the list as everybody else gets it.
 */
export function listGoogleModels(services: ModelServices, usual: Handler): Handler {
  const list = authenticated(
    services,
    ({ key, id, url }) => {
      const models = services.catalog().list(key.allows)
      const start = whole(url, "pageToken", 0)
      const end = start + whole(url, "pageSize", models.length)
      const page = { models: models.slice(start, end).map(entryOf) }
      return jsonAnswer(id, end < models.length ? { ...page, nextPageToken: String(end) } : page)
    },
    (error, id) => errorIn(GEMINI, error, id),
  )
  return forGoogle(list, usual)
}

/**
 * `GET /v1beta/models/{id}`
 * @param usual the entry as everybody else gets it.
 */
export function getGoogleModel(services: ModelServices, usual: Handler): Handler {
  const get = authenticated(
    services,
    ({ key, id, url }) => {
      const model = services.catalog().visible(modelName(url.pathname), key)
      return jsonAnswer(id, entryOf(model))
    },
    (error, id) => errorIn(GEMINI, error, id),
  )
  return forGoogle(get, usual)
}

function forGoogle(google: (request: Request) => Promise<Response>, usual: Handler): Handler {
  return (request, waitLong, id) =>
    hasGoogleKey(request) ? google(withoutKeyInUrl(request)) : usual(request, waitLong, id)
}

/** A number of the query; zero, which Google's clients send too, counts as absent. */
function whole(url: URL, name: string, usual: number): number {
  const text = url.searchParams.get(name)
  if (text === null || text === "" || text === "0") return usual
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw invalidValue(name, `'${name}' has to be a whole number.`)
}

/** `Model` of @google/genai. */
function entryOf({ id, kind, context, maxOutput }: Model): JsonObject {
  return {
    name: PREFIX + id,
    version: "",
    displayName: id,
    ...(context !== undefined && { inputTokenLimit: context }),
    ...(maxOutput !== undefined && { outputTokenLimit: maxOutput }),
    supportedGenerationMethods: [...(METHODS[kind] ?? [])],
  }
}
