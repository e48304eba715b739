import { isJsonObject, type JsonValue, shown } from "../../canon/json.ts"

/** Constraints that structured output does not take, recorded as refused: `maxItems`, `minimum`. */
const UNTAKEN: ReadonlySet<string> = new Set([
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maximum",
  "minLength",
  "minimum",
  "multipleOf",
])

/** Members that hold schemas by name, of which a name can be anything. */
const MAPS: ReadonlySet<string> = new Set(["$defs", "definitions", "properties"])
/** Members that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"])

/**
 * Whether structured output on Bedrock takes a schema: each object is closed, no constraint on numbers,
 * lengths or counts, and no recursion. A definition that refers to another counts as recursion: what the
 * references come to is not followed.
 */
export function isStructuredSchema(schema: JsonValue | undefined): boolean {
  return isTaken(schema, false)
}

/** Whether a schema is one of an object, as the arguments of a tool have to be. */
export function isObjectSchema(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && schema.type === "object"
}

function isTaken(schema: JsonValue | undefined, isDefinition: boolean): boolean {
  if (Array.isArray(schema)) return schema.every((entry) => isTaken(entry, isDefinition))
  if (!isJsonObject(schema)) return true
  if (isOpen(schema.type, schema.additionalProperties)) return false
  return Object.entries(schema).every(([name, value]) => {
    if (VALUES.has(name)) return true
    if (UNTAKEN.has(name)) return false
    if (name === "minItems") return value === 0 || value === 1
    if (name === "$ref") return !isDefinition && shown(value).startsWith("#/")
    if (!MAPS.has(name) || !isJsonObject(value)) return isTaken(value, isDefinition)
    const isInside = isDefinition || name !== "properties"
    return Object.values(value).every((entry) => isTaken(entry, isInside))
  })
}

function isOpen(type: JsonValue | undefined, additional: JsonValue | undefined): boolean {
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"))
  return isObject && additional !== false
}
