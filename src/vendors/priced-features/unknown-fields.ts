import type { DialectId } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { comparedNames, type Effect, suggestedEffect } from "./field-names.ts"
import { KNOWN_FIELDS, type KnownFields, OPERATION_FIELDS } from "./known-fields.ts"
import type { Switches } from "./switch.ts"
import { TOP_LEVEL_FIELDS } from "./top-level-fields.ts"

/** A field that may change the bill and is in no table. */
export interface UnknownField {
  readonly place: string
  /** The reason why its price is unknown. */
  readonly why: string
}

/** The known members of an object in a request. */
class KnownMembers {
  readonly #members = new Map<string, KnownMembers>()
  /** Whether the value is data of the caller, which is not checked. */
  isData = false
  /** Whether all members that are not known are rejected, regardless of their names. */
  isClosed = false
  /** Whether the value is a list of messages. */
  isConversation = false
  /** Whether the value is a message. Its names are not checked, because clients send responses back unchanged. */
  isMessage = false
  /** The names that are known in the value at any depth. */
  names: ReadonlyMap<string, KnownMembers> | undefined

  /** Returns the member at a path, and adds it if it is missing. */
  at(path: string): KnownMembers {
    const [step = "", ...rest] = path.replaceAll("[]", "").split(".")
    if (step === "**") {
      this.isData = true
      return this
    }
    const member = this.#members.get(step) ?? new KnownMembers()
    this.#members.set(step, member)
    return rest.length === 0 ? member : member.at(rest.join("."))
  }

  get(name: string): KnownMembers | undefined {
    return this.#members.get(name)
  }
}

/** The reasons in errors. */
const REASONS: Readonly<Record<Effect | "any" | "many" | "undocumented", string>> = {
  model: "its name suggests that it chooses a model or a server",
  amount: "its name suggests that it raises the amount that is generated",
  mode: "its name suggests that it chooses a service mode",
  tool: "its name suggests that it adds a tool, a search or stored content",
  any: "the provider may apply it in addition to the fields that the price is based on",
  many: "the request has more than 5,000 different names",
  undocumented:
    "it is not a known field of such providers, so it may change the price. The operator can allow it with `extra_fields` of the provider",
}

/** Finds the unknown fields of requests, for one table of known fields. */
export class UnknownFields {
  readonly #known = new KnownMembers()
  /** The known members of messages. */
  readonly #message = new KnownMembers()
  /** The known members of tools and of parts of content. */
  readonly #content: KnownMembers
  readonly #roles: ReadonlySet<JsonValue | undefined>
  readonly #options: ReadonlyMap<string, KnownMembers>
  /** The known members of `parameters`, by the type of the tool. */
  readonly #parameters: ReadonlyMap<string, KnownMembers>

  /** @param topLevel the only top-level fields, if all others are rejected. */
  constructor(
    { paths, contents, contentNames, data, roles }: KnownFields,
    { fields, known = [], closed = [], options = {}, parameters = {} }: Partial<Switches> = {},
    topLevel?: readonly string[],
  ) {
    for (const { path } of fields ?? []) this.#known.at(path)
    for (const path of [...paths, ...known, ...contents, ...(topLevel ?? [])]) this.#known.at(path)
    for (const path of closed) this.#known.at(path).isClosed = true
    this.#known.isClosed = topLevel !== undefined
    const names = new Map<string, KnownMembers>()
    const content = new KnownMembers()
    content.names = names
    const opaque = new KnownMembers()
    opaque.isData = true
    for (const name of contentNames) names.set(name, content)
    for (const name of data) names.set(name, opaque)
    for (const name of contents) {
      const member = this.#known.at(name)
      member.names = names
      member.isConversation = name !== "tools"
    }
    this.#content = content
    this.#roles = new Set(roles)
    this.#message.isMessage = true
    const inMessages = new Map(data.map((name) => [name, opaque]))
    for (const name of TOOLS_IN_MESSAGES) inMessages.set(name, content)
    this.#message.names = inMessages
    this.#options = closedObjects(options)
    this.#parameters = closedObjects(parameters)
  }

  /**
   * Returns the unknown parameters of a tool that the vendor runs.
   * @param place the path of the tool.
   * @param max the maximum number of parameters.
   */
  inTool(
    type: string,
    { parameters }: JsonObject,
    place: string,
    max: number,
  ): readonly UnknownField[] {
    const known = this.#parameters.get(type)
    if (known === undefined || !parameters) return []
    const search = new Search(max, [`${place}.parameters`])
    this.#descend(parameters, known, search)
    return search.found
  }

  /**
   * Returns the unknown fields of a body.
   * @param max the maximum number of fields.
   */
  find(body: JsonObject, max: number): readonly UnknownField[] {
    const search = new Search(max)
    this.#check(body, this.#known, search)
    return search.found
  }

  #check(object: JsonObject, known: KnownMembers | undefined, search: Search): void {
    const { steps, found } = search
    const isClosed = known?.isClosed === true
    const isMessage = known?.isMessage === true
    const closedEffect = steps.length === 0 ? "undocumented" : "any"
    for (const name in object) {
      if (found.length >= search.max) return
      if (comparedNames() > search.maxCompared) {
        found.push({ place: placeOf([...steps, name]), why: REASONS.many })
        search.max = 0
        return
      }
      const value = object[name]
      if (value === null || value === undefined) continue
      const effect = isClosed
        ? closedEffect
        : isMessage
          ? optionsEffect(name)
          : suggestedEffect(name)
      // Most members are texts and numbers whose names suggest no effect.
      if (effect === undefined && typeof value !== "object") continue
      const member = known?.get(name) ?? known?.names?.get(name) ?? this.#options.get(name)
      if (member === undefined && effect !== undefined && isEffective(value, effect)) {
        found.push({ place: placeOf([...steps, name]), why: REASONS[effect] })
      } else if (
        typeof value === "object" &&
        member?.isData !== true &&
        !SCHEMA_MEMBERS.has(name)
      ) {
        steps.push(name)
        this.#descend(value, member ?? this.#inherited(known), search)
        steps.pop()
      }
    }
  }

  /** Returns the known members of an object within content whose own name is not known. */
  #inherited(known: KnownMembers | undefined): KnownMembers | undefined {
    if (known?.isMessage === true) return known
    return known?.names && this.#content
  }

  #descend(value: JsonValue, known: KnownMembers | undefined, search: Search): void {
    if (isJsonObject(value)) return this.#check(value, known, search)
    if (!Array.isArray(value)) return
    for (let index = 0; index < value.length; index++) {
      const element = value[index]
      if (typeof element !== "object" || element === null) continue
      search.steps.push(index)
      const isMessage = known?.isConversation === true && this.#isMessage(element)
      this.#descend(element, isMessage ? this.#message : known, search)
      search.steps.pop()
    }
  }

  #isMessage(value: JsonValue): boolean {
    return isJsonObject(value) && this.#roles.has(value.role)
  }
}

/**
 * Maximum number of different names in a request that are compared. Requests of all known clients have a few hundred.
 */
const MAX_NAMES = 5_000

class Search {
  /** The names and indexes that lead to the checked object. */
  readonly steps: (string | number)[]
  readonly found: UnknownField[] = []
  /** The search ends when this number of fields has been found. */
  max: number
  /** The search ends when this number of names has been compared. */
  readonly maxCompared = comparedNames() + MAX_NAMES

  constructor(max: number, steps: (string | number)[] = []) {
    this.max = max
    this.steps = steps
  }
}

/** Maximum characters of a name in a path. Callers choose the names. */
const MAX_NAME_LENGTH = 100

function placeOf(steps: readonly (string | number)[]): string {
  const parts = steps.map((step) =>
    typeof step === "number" ? `[${step}]` : `.${step.slice(0, MAX_NAME_LENGTH)}`,
  )
  return parts.join("").slice(1)
}

/** Members of messages with definitions of tools. */
const TOOLS_IN_MESSAGES = ["tools", "definition"] as const

/** Members of JSON schemas whose own members have names that the caller chose. */
const SCHEMA_MEMBERS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
])

/** The name of options for a server in a message. */
const OPTIONS_NAME = /^provider_?options$/i

function optionsEffect(name: string): Effect | undefined {
  return OPTIONS_NAME.test(name) ? suggestedEffect(name) : undefined
}

function closedObjects(
  objects: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, KnownMembers> {
  return new Map(Object.entries(objects).map(([name, paths]) => [name, closedMembers(paths)]))
}

function closedMembers(paths: readonly string[]): KnownMembers {
  const members = new KnownMembers()
  members.isClosed = true
  for (const path of paths) {
    const steps = path.split(".")
    for (let count = 1; count < steps.length; count++) {
      members.at(steps.slice(0, count).join(".")).isClosed = true
    }
    members.at(path).isData = true
  }
  return members
}

/** Values that leave a feature out. */
const OFF: ReadonlySet<JsonValue> = new Set([false, 0, "", "disabled", "never", "none", "off"])

/** Whether a value may have an effect. An amount of 1 is the minimum of every request. */
function isEffective(value: JsonValue, effect: keyof typeof REASONS): boolean {
  if (Array.isArray(value)) return value.length > 0
  return !OFF.has(value) && !(effect === "amount" && value === 1)
}

/** The checks for fields that are known at every vendor, by dialect. */
const USUAL: Partial<Record<DialectId | "operation", UnknownFields>> = {}
const bySwitches = new WeakMap<Switches, Partial<Record<DialectId | "operation", UnknownFields>>>()

/**
 * Returns the check of requests in a dialect, or of operations other than chat.
 * @param switches the table of a vendor; if absent, only the fields that are known at every vendor, including routers.
 */
export function unknownFieldsOf(
  dialect: DialectId | "operation",
  switches?: Switches,
): UnknownFields {
  const cached = switches === undefined ? USUAL : (bySwitches.get(switches) ?? {})
  if (switches !== undefined) bySwitches.set(switches, cached)
  const fields = dialect === "operation" ? OPERATION_FIELDS : KNOWN_FIELDS[dialect]
  const isRouter = switches === undefined || switches.isRouter === true
  const topLevel = isRouter ? TOP_LEVEL_FIELDS[dialect] : undefined
  return (cached[dialect] ??= new UnknownFields(fields, switches, topLevel))
}
