import type { LargeBody } from "../support/large-body.ts"

/** The parts of a JSON schema in the OpenAPI document that are read. */
export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly additionalProperties?: unknown
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly $ref?: string
}

/** A list, a map or a text within a body. */
export interface Field {
  /** The names on the path to the field, with `[]` for an element of a list. */
  readonly path: readonly string[]
  readonly kind: "list" | "map" | "text"
  /** Maximum number of elements, members or characters. */
  readonly max: number
}

/** Returns the fields of a schema at all depths. */
export function fieldsOf(schema: Schema, path: readonly string[] = []): Field[] {
  const { type, properties = {}, items, anyOf = [], maxItems, maxProperties } = schema
  const within = [
    ...anyOf.flatMap((form) => fieldsOf(form, path)),
    ...Object.entries(properties).flatMap(([name, field]) => fieldsOf(field, [...path, name])),
  ]
  if (type === "array") {
    const list: Field = { path, kind: "list", max: maxItems ?? Infinity }
    return [list, ...within, ...fieldsOf(items ?? {}, [...path, "[]"])]
  }
  if (type === "string") return [{ path, kind: "text", max: Infinity }, ...within]
  const isMap = path.length > 0 && Object.keys(properties).length === 0 && type === "object"
  return isMap ? [{ path, kind: "map", max: maxProperties ?? Infinity }, ...within] : within
}

/**
 * Elements for fields, with which the request stays as valid as possible. `#` is replaced by a number, and `~` is
 * filled.
 */
const ELEMENTS: Readonly<Record<string, string>> = {
  messages: '{"role":"user","content":"#~"}',
  input: '{"role":"user","content":"#~"}',
  contents: '{"role":"user","parts":[{"text":"#~"}]}',
  content: '{"type":"text","text":"#~"}',
  parts: '{"text":"#~"}',
  requests: '{"content":{"parts":[{"text":"#~"}]}}',
  tools: '{"type":"function","name":"f#","function":{"name":"f#","description":"~"}}',
  functions: '{"name":"f#","description":"~"}',
  functionDeclarations: '{"name":"f#","description":"~"}',
}
const TEXT = '"#~"'

/** The ways in which a field is made large. */
export type Shape = "full" | "endless" | "deep" | "escaped"

export const SHAPES: Readonly<Record<Field["kind"], readonly Shape[]>> = {
  list: ["full", "endless", "deep"],
  map: ["full", "endless", "deep"],
  text: ["full", "escaped"],
}

const MARK = "the-field"
const DEEPEST = 60

/**
 * Returns a body with one field that is as large as allowed, or larger.
 * @param base the rest of the body.
 * @param size size of the body in bytes.
 */
export function worstBody(base: object, field: Field, shape: Shape, size: number): LargeBody {
  const copy = structuredClone(base) as Record<string, unknown>
  place(copy, field.path, MARK)
  const [before = "", after = ""] = JSON.stringify(copy).split(`"${MARK}"`)
  const isMap = field.kind === "map"
  const [open, close] = field.kind === "text" ? ['"', '"'] : isMap ? ["{", "}"] : ["[", "]"]
  const around = { before: before + open, after: close + after, separator: ",", size }
  if (field.kind === "text") {
    const repeated = shape === "escaped" ? "\\n" : "some words "
    return { ...around, repeated, separator: "", count: Infinity }
  }
  const name = isMap ? '"#":' : ""
  if (shape === "endless") return { ...around, repeated: `${name}0`, count: Infinity }
  if (shape === "deep") {
    const [down, up] = [
      "[0,".repeat(DEEPEST - field.path.length),
      "]".repeat(DEEPEST - field.path.length),
    ]
    const opened = isMap ? `${open}"a":` : open
    const deep = { before: before + opened + down, after: up + close + after }
    return { ...deep, repeated: "0", separator: ",", size, count: 150_000 }
  }
  const count = Math.min(field.max, 50_000)
  const element = isMap ? "0" : (ELEMENTS[field.path.at(-1) ?? ""] ?? TEXT)
  const filler = Math.max(0, Math.floor(size / count) - element.length - name.length - 12)
  return { ...around, repeated: name + element.replace("~", "x".repeat(filler)), count }
}

function place(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let object: Record<string, unknown> = body
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1
    const isList = path[index + 1] === "[]"
    const before = object[step === "[]" ? "0" : step]
    const next = isLast ? value : inside(before, isList)
    object[step === "[]" ? "0" : step] = next
    object = next as Record<string, unknown>
  }
}

/** Returns the existing value if the path leads through it. */
function inside(before: unknown, isList: boolean): unknown {
  if (Array.isArray(before) === isList && typeof before === "object" && before !== null)
    return before
  return isList ? [] : {}
}
