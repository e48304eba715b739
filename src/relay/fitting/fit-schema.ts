import type { ModelRules } from "#contract/model-rules.ts"
import { isJsonObject, type JsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import { isObjectType, SCHEMA_MAPS, VALUE_MEMBERS } from "../../dialects/shared/schema.ts"

/** A schema that a model accepts. It is the same object if nothing had to be changed. */
export type FittedSchema = JsonObject | undefined

/** The name of the member that contains the response, in an object that wraps a response of another type. */
export const WRAPPER_MEMBER = "answer"

/** Parts of a schema to which references point. They must stay at the root. */
const DEFINITIONS = ["$defs", "definitions", "$schema"] as const

/** Keywords that a strict schema must not contain. */
const NOT_STRICT: ReadonlySet<string> = new Set([
  "allOf",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "oneOf",
  "patternProperties",
  "then",
])

/**
 * Maximum number of schemas within the schema of a response. OpenAI accepts 5,000 properties, and other providers
 * fewer.
 */
const MAX_SCHEMAS = 10_000

/**
 * The number of schemas that may still be fitted. It is limited, because all tools of a request are fitted in one turn
 * of the event loop.
 */
export interface SchemaBudget {
  remaining: number
}

export function schemaBudget(): SchemaBudget {
  return { remaining: MAX_SCHEMAS }
}

/**
 * Returns a schema with constraints that the model accepts. Rejected constraints are moved to the description, so that
 * the model can still read them.
 * @returns undefined if the schema cannot be expressed.
 */
export function fittedSchema(
  schema: JsonObject,
  rules: ModelRules,
  budget = schemaBudget(),
): FittedSchema {
  const fitting = new SchemaFitting(rules)
  const isFlat = rules.schema_recursion === false
  if (!fitting.isNeeded && !isFlat && rules.strict_requires_all !== true) return schema
  if (exceeds(schema, budget) || (isFlat && isRecursive(schema))) return undefined
  if (!fitting.isNeeded) return schema
  const fitted = fitting.fit(schema)
  if (fitting.isUnsupported) return undefined
  return fitting.isChanged ? fitted : schema
}

function exceeds(schema: JsonObject, budget: SchemaBudget): boolean {
  return someSchema(schema, () => --budget.remaining < 0)
}

/** Whether a schema describes an object. */
export function hasObjectRoot({ type, properties }: JsonObject): boolean {
  return type === "object" || (type === undefined && properties !== undefined)
}

/**
 * Returns the schema of an object with one member that has the given schema.
 * @returns undefined if the schema refers to its own root.
 */
export function wrappedSchema(schema: JsonObject): FittedSchema {
  if (someSchema(schema, ({ $ref }) => $ref === "#")) return undefined
  const inner: JsonObject = { ...schema }
  const root: JsonObject = { type: "object" }
  for (const name of DEFINITIONS) {
    if (inner[name] === undefined) continue
    root[name] = inner[name]
    delete inner[name]
  }
  const properties = { [WRAPPER_MEMBER]: inner }
  return { ...root, properties, required: [WRAPPER_MEMBER], additionalProperties: false }
}

/** Whether a schema has the form that strict schemas require. */
export function isStrictForm(schema: JsonObject): boolean {
  if (!hasObjectRoot(schema)) return false
  return !someSchema(schema, (inner) => {
    for (const name in inner) if (NOT_STRICT.has(name)) return true
    if (!isObjectType(inner.type) && inner.properties === undefined) return false
    if (inner.additionalProperties !== false) return true
    const names = isJsonObject(inner.properties) ? Object.keys(inner.properties) : []
    const required = new Set(Array.isArray(inner.required) ? inner.required : [])
    return !names.every((name) => required.has(name))
  })
}

class SchemaFitting {
  isChanged = false
  isUnsupported = false
  readonly #described: ReadonlySet<string>
  readonly #rejected: ReadonlySet<string>
  readonly #isClosed: boolean

  constructor(rules: ModelRules) {
    this.#described = new Set(rules.schema_described_keywords)
    this.#rejected = new Set(rules.schema_rejected_keywords)
    this.#isClosed = rules.schema_closed_objects === true
  }

  /** Whether any rule applies to schemas. */
  get isNeeded(): boolean {
    return this.#isClosed || this.#described.size > 0 || this.#rejected.size > 0
  }

  /** Returns the same schema if nothing in it changes. */
  fit(schema: JsonObject): JsonObject {
    let fitted = schema
    let notes: JsonObject | undefined
    for (const name in schema) {
      const value = schema[name]
      if (this.#rejected.has(name)) this.isUnsupported = true
      const isNoted = this.#described.has(name) && !(name === "minItems" && isSmall(value))
      if (isNoted) {
        notes ??= {}
        notes[name] = value
        continue
      }
      const member = this.#member(name, value)
      if (member === value) continue
      if (fitted === schema) fitted = { ...schema }
      fitted[name] = member
    }
    if (notes !== undefined) fitted = this.#withNotes(fitted, notes)
    return this.#isClosed ? this.#closed(fitted) : fitted
  }

  /** Returns a schema with rejected constraints in its description. */
  #withNotes(schema: JsonObject, notes: JsonObject): JsonObject {
    this.isChanged = true
    const described = { ...schema }
    for (const name in notes) delete described[name]
    const words = Object.entries(notes).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    described.description = [textAt(schema, "description"), `{${words.join(", ")}}`]
      .filter(Boolean)
      .join("\n\n")
    return described
  }

  #member(name: string, value: JsonValue | undefined): JsonValue | undefined {
    if (value === undefined || VALUE_MEMBERS.has(name)) return value
    if (!SCHEMA_MAPS.has(name) || !isJsonObject(value)) return this.#inner(value)
    let fitted = value
    for (const key in value) {
      const before = value[key] ?? null
      const inner = this.#inner(before)
      if (inner === before) continue
      if (fitted === value) fitted = { ...value }
      fitted[key] = inner
    }
    return fitted
  }

  #inner(value: JsonValue): JsonValue {
    if (Array.isArray(value)) {
      const fitted = value.map((entry) => this.#inner(entry))
      return fitted.every((entry, index) => entry === value[index]) ? value : fitted
    }
    return isJsonObject(value) ? this.fit(value) : value
  }

  /**
   * Closes an object. The schema is unsupported if the object has arbitrary members, because closing it would lose
   * them.
   */
  #closed(given: JsonObject): JsonObject {
    let schema = given
    if (Array.isArray(schema.oneOf) && schema.anyOf === undefined) {
      schema = { ...given, anyOf: given.oneOf }
      delete schema.oneOf
      this.isChanged = true
    }
    const { additionalProperties: others, properties } = schema
    if (isJsonObject(others)) this.isUnsupported = true
    if (others === true) {
      schema = { ...schema, additionalProperties: false }
      this.isChanged = true
    }
    const isOpen = isObjectType(schema.type) && properties === undefined && others !== false
    const isCombined = ["$ref", "allOf", "anyOf"].some((name) => schema[name] !== undefined)
    if (isOpen && !isCombined) this.isUnsupported = true
    return schema
  }
}

function isSmall(value: JsonValue | undefined): boolean {
  return value === 0 || value === 1
}

/** Whether a schema, or any schema in it, meets a condition. */
function someSchema(schema: JsonObject, holds: (schema: JsonObject) => boolean): boolean {
  return holds(schema) || someInner(schema, (inner) => someSchema(inner, holds))
}

/** Whether a direct subschema meets a condition. Members are not listed first, because a schema may have thousands. */
function someInner(schema: JsonObject, holds: (schema: JsonObject) => boolean): boolean {
  for (const name in schema) {
    if (VALUE_MEMBERS.has(name)) continue
    const value = schema[name]
    if (!SCHEMA_MAPS.has(name) || !isJsonObject(value)) {
      if (someOf(value, holds)) return true
      continue
    }
    for (const key in value) if (someOf(value[key], holds)) return true
  }
  return false
}

function someOf(value: JsonValue | undefined, holds: (schema: JsonObject) => boolean): boolean {
  if (Array.isArray(value)) return value.some((entry) => isJsonObject(entry) && holds(entry))
  return isJsonObject(value) && holds(value)
}

/** Maximum length of a chain of references. A schema with a longer chain is treated as recursive. */
const MAX_REFERENCES = 200

/** Whether the references of a schema form a cycle. Each schema is visited once. */
function isRecursive(root: JsonObject): boolean {
  const open = new Set<JsonObject>()
  const done = new Set<JsonObject>()
  const leadsBack = (schema: JsonObject, references: number): boolean => {
    if (done.has(schema)) return false
    if (open.has(schema) || references > MAX_REFERENCES) return true
    open.add(schema)
    const { $ref: reference } = schema
    const target = typeof reference === "string" ? targetOf(root, reference) : undefined
    const isBack =
      reference === "#" ||
      (target !== undefined && leadsBack(target, references + 1)) ||
      someInner(schema, (inner) => leadsBack(inner, references))
    open.delete(schema)
    done.add(schema)
    return isBack
  }
  const { $defs: _, definitions: _1, ...used } = root
  return leadsBack(used, 0)
}

/** Maximum characters of a reference that is followed. Reading many long references would block the event loop. */
const MAX_REFERENCE_LENGTH = 4_096

/**
 * Returns the schema to which a reference such as `#/$defs/name` points. Reading stops at a member that does not exist.
 */
function targetOf(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith("#/") || reference.length > MAX_REFERENCE_LENGTH) return undefined
  let target: JsonValue | undefined = root
  for (let start = 2; start <= reference.length;) {
    if (!isJsonObject(target)) return undefined
    const slash = reference.indexOf("/", start)
    const end = slash === -1 ? reference.length : slash
    const name = reference.slice(start, end)
    target = target[name.includes("~") ? unescapedName(name) : name]
    start = end + 1
  }
  return isJsonObject(target) ? target : undefined
}

function unescapedName(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~")
}
