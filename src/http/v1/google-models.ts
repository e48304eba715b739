import { invalidValue } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"
import { inChats, type Model } from "../../catalog/model.ts"

const PREFIX = "models/"

const METHODS: Readonly<Partial<Record<Model["kind"], readonly string[]>>> = {
  chat: ["generateContent", "streamGenerateContent", "countTokens"],
  embedding: ["embedContent", "batchEmbedContents"],
}

/**
 * Returns a page of models in Google's format, with `pageSize` models, starting at `pageToken`.
 * @throws GatewayError
 */
export function googlePage(models: readonly Model[], query: URLSearchParams): JsonObject {
  const start = wholeNumber(query, "pageToken", 0)
  const end = start + wholeNumber(query, "pageSize", models.length)
  const page = { models: models.slice(start, end).map(googleModel) }
  return end < models.length ? { ...page, nextPageToken: String(end) } : page
}

/** Reads a number from the query. Zero counts as absent, because Google's clients also send it. */
function wholeNumber(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name)
  if (text === null || text === "" || text === "0") return usual
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw invalidValue(name, `'${name}' must be a whole number.`)
}

/** Returns a model in Google's format (`Model` of @google/genai). */
export function googleModel(model: Model): JsonObject {
  const { id, kind, context, maxOutput } = model
  const methods = METHODS[inChats(model) === undefined ? kind : "chat"] ?? []
  return {
    name: PREFIX + id,
    version: "",
    displayName: id,
    ...(context !== undefined && { inputTokenLimit: context }),
    ...(maxOutput !== undefined && { outputTokenLimit: maxOutput }),
    supportedGenerationMethods: [...methods],
  }
}
