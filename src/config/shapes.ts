import { MODEL_ID_PATTERN } from "./aliases.ts"
import { suggestion } from "./nearest.ts"
import {
  Fault,
  Faults,
  kindOf,
  type Output,
  readAnyText,
  Reader,
  readingText,
  SECRET_TEXT,
} from "./reading.ts"
import { isPrintableName } from "./yaml-file.ts"
import { YamlNumber } from "./yaml-value.ts"

/** Creates the reader of a table whose names the operator chooses. */
export function record<Value>(names: Reader<string>, value: Reader<Value>) {
  const read = (input: unknown): Record<string, Value> | Faults => {
    const table = readTable(input)
    if (table instanceof Fault) return new Faults(table)
    let faults: Faults | undefined
    const values: [string, Value][] = []
    for (const [name, written] of Object.entries(table)) {
      const known = names.readOne(name)
      const one = known instanceof Fault ? known : value.read(written)
      if (one instanceof Fault) (faults ??= new Faults()).all.push(new Fault(one.message, [], name))
      else if (one instanceof Faults) (faults ??= new Faults()).addBelow(name, one)
      else values.push([name, one])
    }
    return faults ?? Object.fromEntries(values)
  }
  const form = () => ({
    type: "object",
    propertyNames: names.form(),
    additionalProperties: value.form(),
  })
  return new Reader(read, form)
}

/** Limits on the length of a list. */
interface ListLimits {
  readonly min?: number
  readonly max?: number
  /** What to do with a longer list. */
  readonly remedy?: string
}

/** Creates the reader of a list, which is not empty by default. */
export function list<Item>(item: Reader<Item>, limits: ListLimits = {}) {
  const { min = 1, max = Infinity, remedy = "Remove the rest" } = limits
  const read = (input: unknown): Item[] | Faults => {
    if (!Array.isArray(input)) return new Faults(structureFault(input, "a list"))
    if (input.length < min) {
      return new Faults(new Fault("is empty. Give it an entry, or remove it"))
    }
    if (input.length > max) return new Faults(new Fault(`has more than ${max} entries. ${remedy}`))
    let faults: Faults | undefined
    const items: Item[] = []
    for (const [index, written] of input.entries()) {
      const one = item.read(written)
      if (one instanceof Faults) (faults ??= new Faults()).addBelow(index, one)
      else items.push(one)
    }
    return faults ?? items
  }
  const form = () => ({
    ...(min > 0 && { minItems: min }),
    ...(max < Infinity && { maxItems: max }),
    type: "array",
    items: item.form(),
  })
  return new Reader(read, form)
}

/** Creates the reader of a value that is either plain or a table. */
export function either<Plain, Table>(plain: Reader<Plain>, table: Reader<Table>) {
  const read = (input: unknown): Plain | Table | Faults => {
    const isPlain = typeof input !== "object" || input === null || input instanceof YamlNumber
    return isPlain ? plain.read(input) : table.read(input)
  }
  return new Reader<Plain | Table>(read, () => ({ anyOf: [plain.form(), table.form()] }))
}

function readTable(input: unknown): Readonly<Record<string, unknown>> | Fault {
  const isTable =
    typeof input === "object" &&
    input !== null &&
    !Array.isArray(input) &&
    !(input instanceof YamlNumber || input instanceof Uint8Array)
  return isTable
    ? (input as Readonly<Record<string, unknown>>)
    : structureFault(input, "names with values")
}

function structureFault(input: unknown, wanted: string): Fault {
  if (input === undefined) return new Fault("is missing")
  if (input === null) return new Fault(`has no value. Give it ${wanted}, or remove the line`)
  const kind = input instanceof YamlNumber ? "a number" : (kindOf(input) ?? "this")
  return new Fault(`must hold ${wanted}, not ${kind}`)
}

/** Creates the reader of text that matches a pattern. */
export function name(pattern: RegExp, wanted: string) {
  const read = (input: unknown): string | Faults => {
    const text = readAnyText(input)
    if (text instanceof Fault) return new Faults(text)
    return pattern.test(text) ? text : new Faults(new Fault(wanted))
  }
  return new Reader(read, () => ({ type: "string", pattern: pattern.source }))
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

type Shape = Readonly<Record<string, Reader<unknown>>>

/** Returns the default name of a member in the file. */
export function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/**
 * Creates the reader of a table with fixed names, which are the members in snake case. A member without a value counts
 * as absent.
 * @param names the members that have a different name in the file.
 */
export function entry<Entry extends Shape>(
  shape: Entry,
  names: Partial<Record<keyof Entry, string>> = {},
) {
  const members = Object.entries(shape).map(
    ([member, reader]) => [member, names[member] ?? snakeCase(member), reader] as const,
  )
  const known = members.map(([, name]) => name)
  const read = (input: unknown): Values<Entry> | Faults => {
    const table = readTable(input)
    if (table instanceof Fault) return new Faults(table)
    let faults: Faults | undefined
    const values: Record<string, unknown> = {}
    for (const [member, name, reader] of members) {
      const value = reader.read(table[name])
      if (value instanceof Faults) (faults ??= new Faults()).addBelow(name, value)
      else if (value !== undefined) values[member] = value
    }
    for (const [name, value] of Object.entries(table)) {
      if (known.includes(name)) continue
      const fault = new Fault(unknownName(name, known, value), [], name)
      ;(faults ??= new Faults()).all.push(fault)
    }
    return faults ?? (values as Values<Entry>)
  }
  const form = () => {
    const required = members.flatMap(([, name, { isRequired }]) => (isRequired ? [name] : []))
    return {
      type: "object",
      properties: Object.fromEntries(members.map(([, name, reader]) => [name, reader.form()])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    }
  }
  return new Reader(read, form)
}

/** The values of a table with fixed names. */
type Values<Entry extends Shape> = Members<{ [Member in keyof Entry]: Output<Entry[Member]> }>

function unknownName(name: string, known: readonly string[], value: unknown): string {
  const glued = known.find((knownName) => name.startsWith(`${knownName}:`))
  if (glued !== undefined) return `there must be a space after '${glued}:'`
  const hint = suggestion(name, known)
  // A name without a value may be a secret whose own name is missing, so it is only shown if it resembles a known name.
  const shown = isPrintableName(name) && (value !== null || hint !== "") ? ` '${name}'` : ""
  return `unknown name${shown}.${hint || ` Known here: ${known.join(", ")}`}`
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
