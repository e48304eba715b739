import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../../canon/json.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import { SAMPLING } from "./parameters.ts"

/** Names of number fields. The JSON mapping of protocol buffers also accepts numbers as strings. */
const NUMBERS = Object.keys(SAMPLING).filter(
  (name) => name !== "stopSequences" && name !== "responseLogprobs",
)

/** Roles that turns with tool results have in Google's examples. Not all models still accept these roles. */
const RESULT_ROLES: ReadonlySet<JsonValue | undefined> = new Set(["tool", "function"])

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** The values of `FunctionCallingConfigMode`, by number. */
const MODES = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"] as const

/**
 * Converts a body to canonical forms, on which other code relies. Google accepts numbers as strings, enums in any case
 * or by number, and a single element in place of a list. Its examples use all of these forms. Other values are left for
 * validation.
 * @param body a body with names in camel case, which is modified in place.
 */
export function inCanonicalForms(body: JsonObject): JsonObject {
  const config = objectAt(body, "generationConfig")
  if (config !== undefined) {
    for (const name of NUMBERS) numberAt(config, name)
    numberAt(objectAt(config, "thinkingConfig"), "thinkingBudget")
    listAs(config, "stopSequences")
  }
  if (typeof body.contents === "string") body.contents = { parts: [{ text: body.contents }] }
  listAs(body, "contents")
  for (const content of listAt(body, "contents")) {
    if (isJsonObject(content) && RESULT_ROLES.has(content.role)) content.role = "user"
  }
  listAs(body, "tools")
  for (const tool of listAt(body, "tools")) {
    if (isJsonObject(tool)) listAs(tool, "functionDeclarations")
  }
  for (const request of [body, ...listAt(body, "requests")]) {
    if (!isJsonObject(request)) continue
    numberAt(request, "outputDimensionality")
    listAs(objectAt(request, "content") ?? {}, "parts")
  }
  const calling = objectAt(objectAt(body, "toolConfig") ?? {}, "functionCallingConfig")
  if (calling !== undefined) {
    calling.mode = modeOf(calling.mode)
    listAs(calling, "allowedFunctionNames")
  }
  return body
}

/** Converts a numeric string to a number. */
function numberAt(object: JsonObject | undefined, name: string): void {
  const value = object?.[name]
  if (object === undefined || typeof value !== "string" || !NUMBER.test(value)) return
  object[name] = Number(value)
}

function listAs(object: JsonObject, name: string): void {
  const value = object[name]
  if (typeof value === "string" || isJsonObject(value)) object[name] = [value]
}

function modeOf(mode: JsonValue | undefined): JsonValue | undefined {
  if (typeof mode === "string") return mode.toUpperCase()
  return typeof mode === "number" ? (MODES[mode] ?? mode) : mode
}

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

/** Names in camel case, by their names in snake case. */
const cached = new Map<string, string>()

/**
 * Converts field names to camel case. Google also accepts snake case (the JSON mapping of protocol buffers), and its
 * own examples use both. Code that reads a field, especially a billed field, can then rely on one form.
 * @returns the same body if all its names are in camel case.
 * @throws GatewayError `invalid_value` if the body has too many different names, because converting them would block
 * the event loop.
 */
export function nameInCamelCase(body: JsonObject): JsonObject {
  return new CamelCase().object(body)
}

/** Converts the names of one body. */
class CamelCase {
  /** The number of names that were not cached. */
  #newNames = 0

  /** Builds a new object, because removing members one by one takes quadratic time. */
  object(object: JsonObject): JsonObject {
    const members: [string, JsonValue | undefined][] = []
    let isChanged = false
    for (const name of Object.keys(object)) {
      const value = object[name]
      const camel = this.#name(name)
      const inside = CALLERS_OWN.has(camel) ? value : this.#value(value)
      isChanged ||= camel !== name || inside !== value
      members.push([camel, inside])
    }
    return isChanged ? Object.fromEntries(members) : object
  }

  #value(value: JsonValue | undefined): JsonValue | undefined {
    if (typeof value !== "object" || value === null) return value
    return Array.isArray(value) ? this.#list(value) : this.object(value)
  }

  #list(list: JsonValue[]): JsonValue[] {
    let copy: JsonValue[] | undefined
    for (let index = 0; index < list.length; index++) {
      const inside = this.#value(list[index])
      if (inside !== undefined && inside !== list[index]) (copy ??= [...list])[index] = inside
    }
    return copy ?? list
  }

  #name(name: string): string {
    if (!name.includes("_") || name.length > MAX_SNAKE_LENGTH) return name
    const known = cached.get(name)
    if (known !== undefined) return known
    if (++this.#newNames > MAX_NAMES) {
      const message = `The request has more than ${MAX_NAMES} different names. Send fewer.`
      throw invalidValue(name, message)
    }
    if (cached.size >= MAX_NAMES) cached.clear()
    const camel = name.replaceAll(SNAKE_STEP, (_, letter: string) => letter.toUpperCase())
    cached.set(name, camel)
    return camel
  }
}
