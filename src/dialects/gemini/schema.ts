import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"

/** Schema members with counts, which the JSON mapping of protocol buffers writes as strings. */
const COUNTS: ReadonlySet<string> = new Set([
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
])

/** Schema members by their snake-case names in protocol buffers. */
const SNAKE_NAMES: ReadonlyMap<string, string> = new Map([
  ["any_of", "anyOf"],
  ["min_items", "minItems"],
  ["max_items", "maxItems"],
  ["min_length", "minLength"],
  ["max_length", "maxLength"],
  ["min_properties", "minProperties"],
  ["max_properties", "maxProperties"],
  ["property_ordering", "propertyOrdering"],
])

/** Google's types by number, starting at 1. */
const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"] as const

/**
 * Converts Google's `Schema`, a subset of OpenAPI's schema, to the JSON schema that other vendors accept: types in
 * lowercase, `nullable` as a type, and counts as numbers. Members that JSON schema shares stay unchanged.
 */
export function jsonSchemaOf(schema: JsonObject): JsonObject {
  const written: JsonObject = {}
  for (const [name, value] of Object.entries(schema)) {
    const known = SNAKE_NAMES.get(name) ?? name
    if (value === undefined || name === "__proto__") continue
    // `propertyOrdering` exists only at Google, and `nullable` is converted to a type.
    if (known === "propertyOrdering" || known === "nullable") continue
    written[known] = member(known, value)
  }
  return schema.nullable === true ? orNull(written) : written
}

/** Members of a JSON schema that contain schemas by name, in a list, or directly. */
const SCHEMAS_BY_NAME: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"])
const SCHEMAS: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
])
const CAPITAL_TYPES: ReadonlySet<JsonValue> = new Set(TYPES.map((type) => type.toUpperCase()))

/** Returns a JSON schema with its types in lowercase. Google also accepts uppercase types, which Gemini CLI uses. */
export function withLowercaseTypes(schema: JsonObject): JsonObject {
  // Clients that use uppercase types also use them at the top level.
  return isCapital(schema.type) ? lowercaseTypes(schema) : schema
}

function lowercaseTypes(schema: JsonObject): JsonObject {
  const written: JsonObject = {}
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined || name === "__proto__") continue
    if (name === "type") written.type = isCapital(value) ? value.toLowerCase() : value
    else if (SCHEMAS.has(name)) written[name] = lowercaseTypesIn(value)
    else if (SCHEMAS_BY_NAME.has(name) && isJsonObject(value)) {
      written[name] = Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, inner && lowercaseTypesIn(inner)]),
      )
    } else written[name] = value
  }
  return written
}

function lowercaseTypesIn(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(lowercaseTypesIn)
  return isJsonObject(value) ? lowercaseTypes(value) : value
}

function isCapital(type: JsonValue | undefined): type is string {
  return type !== undefined && CAPITAL_TYPES.has(type)
}

function member(name: string, value: JsonValue): JsonValue {
  switch (name) {
    case "type":
      return typeof value === "string" ? value.toLowerCase() : typeByNumber(value)
    case "properties":
    case "$defs":
      return isJsonObject(value) ? eachSchema(value) : value
    case "items":
    case "additionalProperties":
      return schemaOr(value)
    case "anyOf":
    case "prefixItems":
      return Array.isArray(value) ? value.map(schemaOr) : value
    default:
      return COUNTS.has(name) && typeof value === "string" ? Number(value) : value
  }
}

function typeByNumber(value: JsonValue): JsonValue {
  return typeof value === "number" ? (TYPES[value - 1] ?? value) : value
}

function schemaOr(value: JsonValue): JsonValue {
  return isJsonObject(value) ? jsonSchemaOf(value) : value
}

function eachSchema(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, value && schemaOr(value)]),
  )
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] }
  const nullable: JsonObject = { ...schema, type: [type, "null"] }
  return Array.isArray(values) ? { ...nullable, enum: [...values, null] } : nullable
}
