import { invalidValue } from "../../../canon/invalid-request.ts"
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
const MAX_SNAKE_LENGTH = 64

/** Maximum number of different names of a body that are converted. Google has a few hundred fields. */
const MAX_NAMES = 2_000

const SNAKE_STEP = /(?<=.)_([a-z0-9])/g

/**
 * Converts field names to camel case. Google also accepts snake case (the JSON mapping of protocol buffers), and its
 * own examples use both. Code that reads a field, especially a billed field, can then rely on one form.
 * @returns the same body if all its names are in camel case.
 * @throws GatewayError `invalid_value` if the body has too many different names, because converting them would block the
 * event loop.
 */
export function nameInCamelCase(body: JsonObject): JsonObject {
  converted = 0
  return inCamelCase(body)
}

function inCamelCase<Value extends JsonValue | undefined>(value: Value): Value
function inCamelCase(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value) ? elementsInCamelCase(value) : membersInCamelCase(value)
}

function elementsInCamelCase(list: JsonValue[]): JsonValue[] {
  let copy: JsonValue[] | undefined
  for (let index = 0; index < list.length; index++) {
    const element = list[index] ?? null
    const converted = inCamelCase(element)
    if (converted !== element) (copy ??= [...list])[index] = converted
  }
  return copy ?? list
}

/** Builds a new object, because removing members one by one takes quadratic time. */
function membersInCamelCase(object: JsonObject): JsonObject {
  const members: [string, JsonValue | undefined][] = []
  let isChanged = false
  for (const name of Object.keys(object)) {
    const value = object[name]
    const camel = camelCase(name)
    const converted = CALLERS_OWN.has(camel) ? value : inCamelCase(value)
    isChanged ||= camel !== name || converted !== value
    members.push([camel, converted])
  }
  return isChanged ? Object.fromEntries(members) : object
}

/** Names in camel case, by their names in snake case. */
const cached = new Map<string, string>()
/** Number of names of the current body that were not cached. */
let converted = 0

function camelCase(name: string): string {
  if (!name.includes("_") || name.length > MAX_SNAKE_LENGTH) return name
  const known = cached.get(name)
  if (known !== undefined) return known
  if (++converted > MAX_NAMES) {
    throw invalidValue(name, `The request has more than ${MAX_NAMES} different names. Send fewer.`)
  }
  if (cached.size >= MAX_NAMES) cached.clear()
  const camel = name.replaceAll(SNAKE_STEP, (_, letter: string) => letter.toUpperCase())
  cached.set(name, camel)
  return camel
}
