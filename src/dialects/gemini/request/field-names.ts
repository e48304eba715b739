import type { JsonObject, JsonValue } from "../../../canon/json.ts"

/** Members whose keys are chosen by the caller, such as the properties of a schema. Their keys are not converted. */
const CALLERS_OWN: ReadonlySet<string> = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseSchema",
  "responseJsonSchema",
  "labels",
  "headers",
])

/** Maximum characters of a name in snake case. Google's names have at most 50. */
const MAX_SNAKE_LENGTH = 128

const SNAKE_STEP = /(?<=.)_([a-z0-9])/g

/**
 * Converts field names to camel case. Google also accepts snake case (the JSON mapping of protocol buffers), and its
 * own examples use both. Code that reads a field, especially a billed field, can then rely on one form.
 * @param body modified in place.
 */
export function nameInCamelCase(body: JsonObject): JsonObject {
  renameIn(body)
  return body
}

function renameIn(value: JsonValue | undefined): void {
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    for (const element of value) renameIn(element)
    return
  }
  for (const name of Object.keys(value)) {
    const camel = name.includes("_") ? renamed(value, name) : name
    if (!CALLERS_OWN.has(camel)) renameIn(value[camel])
  }
}

function renamed(object: JsonObject, name: string): string {
  if (name.length > MAX_SNAKE_LENGTH) return name
  const camel = name.replaceAll(SNAKE_STEP, (_, letter: string) => letter.toUpperCase())
  if (camel === name) return name
  object[camel] = object[name]
  delete object[name]
  return camel
}
