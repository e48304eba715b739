import { invalidValue } from "../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import {
  CHOICE_NAMES,
  CONTAINERS,
  DECIDING_FIELDS,
  LIMIT_NAMES,
  TEMPLATE_NAMES,
  TOOL_FIELDS,
} from "./deciding-fields.ts"

/** The folded name of the object with the variables of a prompt template. */
const TEMPLATE_VALUES = "chattemplatekwargs"

/** Matches a name that has only one spelling. */
const PLAIN = /^[a-z0-9]+$/

/**
 * Maximum characters of another spelling of a name. The names that are compared have at most 40 characters, and folding
 * much longer names would block the event loop.
 */
const MAX_SPELLING_LENGTH = 128

/** Maximum elements of a list, such as a list of plugins or fallback models. */
const MAX_ELEMENTS = 256

/** The known names of members in one place of a request. */
class Known {
  readonly #members = new Map<string, Known>()
  /** Each known name, by its folded form without case and separators. */
  readonly #spellings = new Map<string, string>()

  /**
   * Adds a name.
   * @param path the path of the member, such as `plugins[].id`. Each step has its own `Known`.
   */
  add(path: string): void {
    const [step = "", ...rest] = path.replaceAll("[]", "").split(".")
    let member = this.#members.get(step)
    if (member === undefined) {
      member = new Known()
      this.#members.set(step, member)
      const spelling = folded(step)
      if (!this.#spellings.has(spelling)) this.#spellings.set(spelling, step)
    }
    if (rest.length > 0) member.add(rest.join("."))
  }

  /**
   * Checks the name of a member.
   * @returns whether the name is known.
   * @throws GatewayError if the name, or a name within its value, is another spelling of a known name.
   */
  check(name: string, value: JsonValue | undefined, place: string): boolean {
    const member = this.#members.get(name)
    if (member === undefined) {
      const known = this.#spellings.get(folded(name))
      if (known !== undefined) throw misspelled(place, name, known)
      return false
    }
    if (member.#members.size > 0) member.checkAll(value, `${place}${name}`)
    return true
  }

  checkAll(value: JsonValue | undefined, place: string): void {
    if (Array.isArray(value)) {
      if (value.length > MAX_ELEMENTS) throw tooMany(place)
      for (const [index, element] of value.entries()) this.checkAll(element, `${place}[${index}]`)
    } else if (isJsonObject(value)) {
      for (const name in value) this.check(name, value[name], `${place}.`)
    }
  }

  has(name: string): boolean {
    return this.#spellings.has(folded(name))
  }
}

/** Names that a format reads in addition to the parameters with a schema, and names that it rejects. */
export interface OtherNames {
  readonly own: Iterable<string>
  /** Paths of members on which a price depends. */
  readonly paths?: readonly string[]
  /** The path of the format's output limit; absent for a format without one. */
  readonly limit?: string
  /** Other names of a field that are rejected, and the field to use instead. */
  readonly others?: { readonly names: readonly string[]; readonly instead: string }
}

/**
 * Checks the names of a request's fields. A server may read `Max_Tokens`, `maxTokens` or `n_predict` as its limit,
 * although the gateway has not priced that field. Such names are therefore rejected.
 */
export class FieldNames {
  readonly #known = new Known()
  /** The remedy for each rejected name. The key is the name without case and separators. */
  readonly #rejected = new Map<string, string>()

  constructor({ own, paths = [], limit, others }: OtherNames) {
    for (const path of [...own, ...paths]) this.#known.add(path)
    for (const path of DECIDING_FIELDS) this.#known.add(path)
    if (others !== undefined) this.#reject(others.names, `Use '${others.instead}'.`)
    if (limit === undefined) return
    this.#known.add(limit)
    this.#reject(LIMIT_NAMES, `Limit the output with '${limit}'.`)
    this.#reject([...CHOICE_NAMES, ...TEMPLATE_NAMES], "Leave it out.")
  }

  #reject(names: readonly string[], instead: string): void {
    for (const name of names) this.#rejected.set(folded(name), instead)
  }

  /**
   * Checks the name of a field.
   * @throws GatewayError that names the field and its replacement.
   */
  check(name: string, value: JsonValue | undefined): void {
    if (this.#known.check(name, value, "")) return
    const key = folded(name)
    this.#checkRejected(key, name)
    const isContainer = CONTAINER_NAMES.has(key)
    if (!isJsonObject(value) || !(isContainer || key === TEMPLATE_VALUES)) return
    for (const inside in value) {
      const place = `${name}.${inside}`
      this.#checkRejected(folded(inside), place)
      if (!isContainer || !DECIDING.has(inside)) continue
      throw invalidValue(place, `'${place}' is not supported. Set '${inside}' itself.`)
    }
  }

  #checkRejected(key: string, place: string): void {
    const instead = this.#rejected.get(key)
    if (instead === undefined) return
    throw invalidValue(place, `'${place}' is not a parameter of this endpoint. ${instead}`)
  }
}

const DECIDING = new Known()
for (const path of DECIDING_FIELDS) DECIDING.add(path)

const TOOL = new Known()
for (const name of TOOL_FIELDS) TOOL.add(name)

/**
 * Checks the names of a tool's members.
 * @throws GatewayError if a member of a tool is another spelling of a member that determines the tool's kind.
 */
export function checkToolNames(tool: JsonObject, place: string): void {
  for (const name in tool) TOOL.check(name, tool[name], `${place}.`)
}

function tooMany(place: string): Error {
  return invalidValue(place, `'${place}' has more than ${MAX_ELEMENTS} elements. Send fewer.`)
}

function misspelled(place: string, name: string, known: string): Error {
  const field = `${place}${name}`
  return invalidValue(
    field,
    `Unknown parameter: '${field}'. Names are case-sensitive: use '${place}${known}'.`,
  )
}

const CONTAINER_NAMES: ReadonlySet<string> = new Set(CONTAINERS.map(folded))

/** Returns a name without case and separators. Go also treats the long s as an s, and the Kelvin sign as a k. */
function folded(name: string): string {
  if (name.length > MAX_SPELLING_LENGTH || PLAIN.test(name)) return name
  return name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, "")
}
