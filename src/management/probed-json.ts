import { isJsonObject, type JsonValue, MAX_JSON_DEPTH, parseJson } from "../canon/json.ts"
import { JsonScanner } from "../canon/json-structure.ts"

/** Maximum bytes of a model list. */
export const MAX_LIST_BYTES = 8 * 1024 * 1024
/** Maximum bytes of an error, as for calls. */
export const MAX_ERROR_BYTES = 64 * 1024
/** Maximum lists, objects, members and elements. The longest list of a provider has fewer than 50,000. */
const MAX_VALUES = 200_000

/** The content of a provider's response. */
export type ProbedBody =
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "text"; readonly text: string }
  /** The body is too long, nested too deeply, or has too many values. It was not read to its end. */
  | { readonly type: "too_large" }

/** Reads a response, whose JSON is only parsed if this takes a short time. */
export async function probedBody(response: Response, maxBytes: number): Promise<ProbedBody> {
  const chunks: Uint8Array[] = []
  const scanner = new JsonScanner()
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    scanner.push(chunk)
    // Leaving the loop cancels the body.
    if (length > maxBytes || isTooComplex(scanner)) return { type: "too_large" }
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  const value = parseJson(text)
  return value === undefined ? { type: "text", text } : { type: "json", value }
}

function isTooComplex({ values, elements, deepest, isTooWide }: JsonScanner): boolean {
  return Math.max(values, elements) > MAX_VALUES || deepest > MAX_JSON_DEPTH || isTooWide
}

/** Member names of model lists, and of model names in their elements. There is one for each variant. */
const LISTS = ["data", "models", "modelSummaries"]
const NAMES = ["id", "modelId", "name"]

/** Returns the names in a model list. */
export function modelsIn(body: JsonValue): string[] {
  const list = Array.isArray(body)
    ? body
    : LISTS.map((name) => memberOf(body, name)).find(Array.isArray)
  if (!Array.isArray(list)) return []
  const names = list.flatMap((element: JsonValue) => {
    const name = NAMES.map((member) => memberOf(element, member)).find(
      (value) => typeof value === "string" && value !== "",
    )
    // Google's model names start with the path of the collection, which is removed.
    return typeof name === "string" ? [name.replace(/^models\//, "")] : []
  })
  return [...new Set(names)].toSorted()
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}
