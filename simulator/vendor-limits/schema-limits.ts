import { arrayOf, isObject, objectOf, stringOf, type JsonObject } from "../json.ts"
import type { Check, Problem } from "./limit.ts"

/** A schema that a request declares. */
export interface DeclaredSchema {
  readonly schema: JsonObject
  readonly isStrict: boolean
  /** The name that errors use, such as `response_format 'r'`. */
  readonly title: string
  readonly parameter: string
}

/** Returns the schema of the response, in either of OpenAI's formats. */
export function responseSchema(body: JsonObject): DeclaredSchema[] {
  const chat = objectOf(body.response_format)
  const format = objectOf(body.text).format
  const declared = chat.type === undefined ? objectOf(format) : objectOf(chat.json_schema)
  if (!isObject(declared.schema)) return []
  const parameter = chat.type === undefined ? "text.format.schema" : "response_format"
  const title = `response_format '${stringOf(declared.name)}'`
  return [{ schema: declared.schema, isStrict: declared.strict === true, title, parameter }]
}

/** Returns the schemas of functions, in either of OpenAI's formats. */
export function toolSchemas(body: JsonObject): DeclaredSchema[] {
  return arrayOf(body.tools).flatMap((entry, index) => {
    const tool = objectOf(entry)
    const declared = tool.function === undefined ? tool : objectOf(tool.function)
    if (!isObject(declared.parameters)) return []
    const isStrict = declared.strict === true
    const title = `function '${stringOf(declared.name)}'`
    const parameter = `tools[${index}].${tool.function === undefined ? "" : "function."}parameters`
    return [{ schema: declared.parameters, isStrict, title, parameter }]
  })
}

/** Rejects a schema whose root does not describe an object. */
export const rootObject: Check = (body) =>
  firstOf(responseSchema(body), ({ schema }) =>
    schema.type === "object"
      ? undefined
      : `schema must be a JSON Schema of 'type: "object"', got 'type: "${stringOf(schema.type) || "None"}"'.`,
  )

const NOT_STRICT = ["allOf", "not", "if", "oneOf", "patternProperties", "dependentRequired"]

/** Checks that strict schemas close all objects and require all properties, and rejects some keywords. */
export const strictSchemas: Check = (body) =>
  firstOf(
    [...responseSchema(body), ...toolSchemas(body)].filter(({ isStrict }) => isStrict),
    ({ schema }) => someSchema(schema, strictProblem),
  )

function strictProblem(schema: JsonObject): string | undefined {
  const keyword = NOT_STRICT.find((name) => schema[name] !== undefined)
  if (keyword !== undefined) return `In context=(), '${keyword}' is not permitted.`
  if (!isObjectSchema(schema)) return undefined
  if (schema.additionalProperties !== false) {
    return "In context=(), 'additionalProperties' is required to be supplied and to be false."
  }
  const required = arrayOf(schema.required)
  const missing = Object.keys(objectOf(schema.properties)).find((name) => !required.includes(name))
  if (missing === undefined) return undefined
  return `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || arrayOf(type).includes("object") || isObject(properties)
}

function firstOf(
  schemas: readonly DeclaredSchema[],
  look: (declared: DeclaredSchema) => string | undefined,
): Problem | undefined {
  for (const declared of schemas) {
    const found = look(declared)
    if (found === undefined) continue
    const { title, parameter } = declared
    return { message: `Invalid schema for ${title}: ${found}`, parameter, code: "invalid_schema" }
  }
  return undefined
}

/** Members whose values are data and not schemas. */
const VALUES = new Set(["const", "default", "enum", "examples", "required"])
const MAPS = new Set(["properties", "$defs", "definitions", "patternProperties"])

/** Returns the first fault of a schema or of the schemas within it. */
export function someSchema(
  schema: JsonObject,
  look: (schema: JsonObject) => string | undefined,
): string | undefined {
  const found = look(schema)
  if (found !== undefined) return found
  for (const [name, value] of Object.entries(schema)) {
    if (VALUES.has(name)) continue
    const inner = MAPS.has(name) ? Object.values(objectOf(value)) : [value]
    for (const member of inner.flat()) {
      const deeper = isObject(member) ? someSchema(member, look) : undefined
      if (deeper !== undefined) return deeper
    }
  }
  return undefined
}
