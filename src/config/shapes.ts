import { z } from "zod"
import { MODEL_ID_PATTERN } from "./aliases.ts"
import { Fault, JSON_FORMS, readingText, SECRET_TEXT } from "./reading.ts"
import { YamlNumber } from "./yaml-value.ts"

/**
 * Creates the schema of an object that only allows known names. For an unknown name, the issue's message lists the
 * known names.
 */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape) {
  const object = z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? Object.keys(shape).join(" ") : structureFault(issue),
  })
  return z.preprocess((input) => (input instanceof YamlNumber ? NaN : input), object)
}

export function record<Value extends z.core.$ZodType>(
  names: z.ZodType<string, string>,
  value: Value,
) {
  return z.record(names, value, { error: structureFault })
}

export function list<Item extends z.core.$ZodType>(item: Item) {
  return z.array(item, { error: structureFault }).min(1, "is empty. Give it an entry, or remove it")
}

/** Creates the schema of a value that is either plain or a table. */
export function either<Plain, Table>(plain: z.ZodType<Plain>, table: z.ZodType<Table>) {
  const schema = z.unknown().transform((input, context): Plain | Table => {
    const isPlain = typeof input !== "object" || input === null || input instanceof YamlNumber
    const { data, error } = isPlain ? plain.safeParse(input) : table.safeParse(input)
    if (data !== undefined) return data
    for (const issue of error?.issues ?? []) {
      context.issues.push({ ...issue, input } as z.core.$ZodRawIssue)
    }
    return z.NEVER
  })
  JSON_FORMS.set(schema, { anyOf: [plain, table] })
  return schema
}

function structureFault(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "invalid_type") return undefined
  if (issue.input === undefined) return "is missing"
  const wanted = issue.expected === "array" ? "a list" : "names with values"
  if (issue.input === null) return `has no value. Give it ${wanted}, or remove the line`
  return `must hold ${wanted}, not ${typeof issue.input === "number" ? "a number" : "this"}`
}

export function name(pattern: RegExp, wanted: string) {
  return z.string().regex(pattern, wanted)
}

export const MODEL_ID = name(
  MODEL_ID_PATTERN,
  "the name of a model must be <provider>/<name>, without spaces, such as local/llama",
)

/** Headers that describe the connection instead of the request. */
const CONNECTION_HEADERS = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

const HEADER_NAME = name(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "this is not a valid header name").refine(
  (header) => !CONNECTION_HEADERS.has(header.toLowerCase()),
  "this header is set by the gateway itself. Remove it",
)

const headerValue = readingText((value) => {
  if (/^[\t -~\u0080-\u00ff]+$/.test(value)) return value
  return new Fault("must be one line of printable characters")
}, SECRET_TEXT)

/** Reads additional headers of requests. Values may be secret. */
export function headers() {
  return record(HEADER_NAME, headerValue)
}

/** Reads a display name on one line. */
export function label() {
  return readingText((value) =>
    /^[^\p{C}]{1,100}$/u.test(value) ? value : new Fault("must have at most 100 characters"),
  )
}

type ReadonlyList<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value

/** The members of an object. Those that may be undefined are optional. */
export type Members<Value> = {
  readonly [Name in keyof Value as undefined extends Value[Name] ? never : Name]: ReadonlyList<
    Value[Name]
  >
} & {
  readonly [Name in keyof Value as undefined extends Value[Name] ? Name : never]?: ReadonlyList<
    Exclude<Value[Name], undefined>
  >
}

/** Returns the object without undefined members. */
export function present<Value extends object>(value: Value): Members<Value> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members) as Members<Value>
}

type Shape = Readonly<Record<string, z.ZodType>>

/** Returns the default name of a member in the file. */
export function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Creates the schema of an object whose members are in snake case in the file. A member without a value counts as
 * absent.
 * @param names the members that have a different name in the file.
 */
export function entry<Entry extends Shape>(
  shape: Entry,
  names: Partial<Record<keyof Entry, string>> = {},
) {
  const members = Object.keys(shape).map((member) => [member, names[member] ?? snakeCase(member)])
  const schemas = members.map(([member = "", name = ""]) => [name, shape[member]] as const)
  return strict(Object.fromEntries(schemas) as Shape).transform((file) => {
    const values = members.map(([member = "", name = ""]) => [member, file[name] ?? undefined])
    return present(Object.fromEntries(values)) as Members<{
      [Member in keyof Entry]: Exclude<z.output<Entry[Member]>, null>
    }>
  })
}

/**
 * Creates a table whose names the operator chooses. It has no prototype, so that looking up `constructor` finds
 * nothing.
 */
export function named<Value>(
  entries: readonly (readonly [string, Value])[],
): Record<string, Value> {
  const table: Record<string, Value> = Object.create(null)
  for (const [name, value] of entries) table[name] = value
  return table
}
