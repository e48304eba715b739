import { boundedText, type TextLimits } from "../canon/bounded-text.ts"
import { isJsonObject, type JsonValue, parseJson } from "../canon/json.ts"

/** Limits of a model list. The longest list of a provider has fewer than 50,000 values. */
export const LIST_LIMITS: TextLimits = { maxBytes: 8 * 1024 * 1024, maxValues: 100_000 }
/** Limits of an error. Errors of calls have the same maximum size. */
export const ERROR_LIMITS: TextLimits = { maxBytes: 64 * 1024, maxValues: 10_000 }

/** The content of a provider's response. */
export type ProbedBody =
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "text"; readonly text: string }
  /** The body is too long, nested too deeply, or has too many values. It was not read to its end. */
  | { readonly type: "too_large" }

/** Reads a response. Its JSON is only parsed if it is within the limits, so that parsing takes a short time. */
export async function probedBody({ body }: Response, limits: TextLimits): Promise<ProbedBody> {
  const text = await boundedText(body, limits)
  if (text === undefined) return { type: "too_large" }
  const value = parseJson(text)
  return value === undefined ? { type: "text", text } : { type: "json", value }
}

/** Field names of the list and of a model's name. Vendors use different names. */
const LISTS = ["data", "models", "modelSummaries"]
const NAMES = ["id", "modelId", "name"]

/** Maximum length of a model name. Longer texts are ignored. */
const MAX_NAME_CHARACTERS = 500
/** Maximum number of listed models that are shown. */
const MAX_SHOWN_MODELS = 1_000

/** Returns the different names in a model list, in its order. */
export function modelsIn(body: JsonValue): ReadonlySet<string> {
  const list = Array.isArray(body)
    ? body
    : LISTS.map((name) => memberOf(body, name)).find(Array.isArray)
  if (!Array.isArray(list)) return new Set()
  const names = list.flatMap((element: JsonValue) => {
    const name = NAMES.map((member) => memberOf(element, member)).find(
      (value) => typeof value === "string" && value !== "" && value.length <= MAX_NAME_CHARACTERS,
    )
    // Google's model names start with the path of the collection, which is removed.
    return typeof name === "string" ? [name.replace(/^models\//, "")] : []
  })
  return new Set(names)
}

/** Returns the sorted names of the first models. Sorting and sending all of them could take long. */
export function shownModels(names: ReadonlySet<string>): string[] {
  return [...names.values().take(MAX_SHOWN_MODELS)].toSorted()
}

/** Returns the number of listed models, such as `30000 models, of which the first 1000 are shown`. */
export function modelCount({ size }: ReadonlySet<string>): string {
  const shown = size > MAX_SHOWN_MODELS ? `, of which the first ${MAX_SHOWN_MODELS} are shown` : ""
  return `${size} models${shown}`
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}
