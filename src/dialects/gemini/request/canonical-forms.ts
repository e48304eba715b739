import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
} from "../../../canon/json.ts"
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
