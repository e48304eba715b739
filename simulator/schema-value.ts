import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "./json.ts"

const DEEPEST_OPTIONAL = 4
const DEEPEST = 12
/** Maximum number of values in one response. A schema that refers to itself may describe an infinite value. */
const MAX_VALUES = 20_000
/** Maximum number of characters that are added to a string. */
const MAX_ADDED_CHARACTERS = 1_000_000

const FORMATS: Record<string, string> = {
  date: "2026-11-01",
  "date-time": "2026-11-01T12:00:00Z",
  time: "12:00:00Z",
  duration: "P1D",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
}

interface GenerationContext {
  readonly root: JsonObject
  /** The property's name, which is the value of an unrestricted string. */
  readonly name: string
  readonly depth: number
  /** Number of values that may still be created in the whole response. */
  readonly left: { values: number }
}

/**
 * Returns a value that is valid against the schema. The same schema always gives the same value. Required properties
 * come first, then optional properties, until the nesting is too deep. The keywords that vendors accept in tool
 * parameters and structured output are supported, except `pattern`, which is ignored.
 */
export function valueOf(schema: JsonObject): Json {
  return generate(schema, {
    root: schema,
    name: "text",
    depth: 0,
    left: { values: MAX_VALUES },
  })
}

function generate(schema: Json | undefined, context: GenerationContext): Json {
  if (!isObject(schema) || context.depth > DEEPEST || context.left.values-- <= 0) return null
  if (schema.const !== undefined) return schema.const
  const options = arrayOf(schema.enum)
  if (options.length > 0) return options[0] ?? null
  if (typeof schema.$ref === "string") {
    return generate(resolve(context.root, schema.$ref), { ...context, depth: context.depth + 1 })
  }
  if (Array.isArray(schema.allOf)) {
    return generate(merge(schema, context), { ...context, depth: context.depth + 1 })
  }
  const variants = arrayOf(schema.anyOf ?? schema.oneOf)
  if (variants.length > 0) return generate(choose(variants, context), context)
  switch (typeOf(schema, context)) {
    case "object":
      return generateObject(schema, context)
    case "array":
      return generateArray(schema, context)
    case "string":
      return generateString(schema, context)
    case "integer":
      return generateNumber(schema, true)
    case "number":
      return generateNumber(schema, false)
    case "boolean":
      return true
    default:
      return null
  }
}

function resolve(root: JsonObject, reference: string): Json {
  let found: Json = root
  for (const step of reference.replace(/^#\/?/, "").split("/")) {
    if (step === "") continue
    found = objectOf(found)[step.replaceAll("~1", "/").replaceAll("~0", "~")] ?? {}
  }
  return found
}

function merge(schema: JsonObject, context: GenerationContext): JsonObject {
  const { allOf, ...rest } = schema
  const merged: JsonObject = { ...rest }
  for (const part of arrayOf(allOf)) {
    const reference = objectOf(part).$ref
    const found = objectOf(typeof reference === "string" ? resolve(context.root, reference) : part)
    const properties = { ...objectOf(merged.properties), ...objectOf(found.properties) }
    const required = [...arrayOf(merged.required), ...arrayOf(found.required)]
    Object.assign(merged, found, { properties, required })
  }
  return merged
}

function isNull(variant: Json): boolean {
  return objectOf(variant).type === "null"
}

/**
 * Returns the first variant that is not null. For deeply nested schemas, returns null if possible, to end the
 * recursion.
 */
function choose(variants: Json[], context: GenerationContext): Json {
  const preferred = context.depth > DEEPEST_OPTIONAL ? variants.find(isNull) : undefined
  return preferred ?? variants.find((variant) => !isNull(variant)) ?? variants[0] ?? null
}

function typeOf(schema: JsonObject, context: GenerationContext): string {
  if (Array.isArray(schema.type)) {
    if (context.depth > DEEPEST_OPTIONAL && schema.type.includes("null")) return "null"
    return stringOf(schema.type.find((type) => type !== "null") ?? "null")
  }
  if (typeof schema.type === "string") return schema.type
  if (schema.properties !== undefined) return "object"
  return schema.items === undefined ? "string" : "array"
}

function generateObject(schema: JsonObject, context: GenerationContext): JsonObject {
  const properties = objectOf(schema.properties)
  const required = arrayOf(schema.required).map((name) => stringOf(name))
  const names = new Set(required)
  if (context.depth < DEEPEST_OPTIONAL) for (const name of Object.keys(properties)) names.add(name)
  const value: JsonObject = {}
  for (const name of names) {
    value[name] = generate(properties[name] ?? {}, { ...context, name, depth: context.depth + 1 })
  }
  return value
}

function generateArray(schema: JsonObject, context: GenerationContext): Json[] {
  const inside = { ...context, depth: context.depth + 1 }
  const values = arrayOf(schema.prefixItems).map((item) => generate(item, inside))
  const min = typeof schema.minItems === "number" ? schema.minItems : 1
  const max = typeof schema.maxItems === "number" ? schema.maxItems : Number.POSITIVE_INFINITY
  const wanted = context.depth > DEEPEST_OPTIONAL ? Number(schema.minItems ?? 0) : min
  while (values.length < Math.min(wanted, max) && context.left.values > 0) {
    values.push(generate(schema.items ?? {}, inside))
  }
  return values
}

function generateString(schema: JsonObject, context: GenerationContext): string {
  const known = FORMATS[stringOf(schema.format)]
  if (known !== undefined) return known
  const min =
    typeof schema.minLength === "number" ? Math.min(schema.minLength, MAX_ADDED_CHARACTERS) : 0
  const max = typeof schema.maxLength === "number" ? schema.maxLength : Number.POSITIVE_INFINITY
  const text = context.name.padEnd(min, "x")
  return text.length > max ? text.slice(0, max) : text
}

function generateNumber(schema: JsonObject, whole: boolean): number {
  const step = typeof schema.multipleOf === "number" ? schema.multipleOf : whole ? 1 : 0.5
  const numberAt = (key: string): number | undefined => {
    const value = schema[key]
    return typeof value === "number" ? value : undefined
  }
  const above = numberAt("exclusiveMinimum")
  const below = numberAt("exclusiveMaximum")
  const min = numberAt("minimum") ?? above
  const max = numberAt("maximum") ?? below
  let value = Math.ceil((min ?? Math.min(1, max ?? 1)) / step) * step
  if (value === above) value += step
  if (max !== undefined && (value > max || value === below)) {
    // If no multiple of the step fits, the middle between the bounds is used.
    value = whole ? Math.floor(max) : ((min ?? max - 1) + max) / 2
    if (whole && value === below) value -= 1
  }
  return value
}
