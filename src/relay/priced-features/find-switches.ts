import type { DialectId } from "../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue, listAt, shown } from "../../canon/json.ts"
import { checkToolNames } from "../../dialects/shared/field-names.ts"
import { definedTools, mayDefineTools } from "./defined-tools.ts"
import { BILLABLE, USUAL_BILLABLE } from "../../vendors/priced-features/index.ts"
import {
  type Charge,
  type FieldSwitch,
  LOOPED,
  type Switches,
} from "../../vendors/priced-features/switch.ts"
import { unknownFieldsOf } from "../../vendors/priced-features/unknown-fields.ts"

/** A switch for a priced feature that a request sets. */
export interface SetSwitch {
  /** The path of the switch in error messages, such as `tools[2].type` or `service_tier`. */
  readonly place: string
  /** The value of the switch in error messages. */
  readonly value: JsonValue
  readonly charge: Charge
  /** Set for fields that are in no table. */
  readonly isUnknownField?: true
  /** The object that is the value, with all its members. */
  readonly holder?: JsonObject
  /** The tool that sets the switch, whose members may determine the price. */
  readonly tool?: JsonObject
  /** The field that sets the switch. It names the response fields that report the actual value. */
  readonly field?: FieldSwitch
}

/** The first segments of all paths in the table. A body without these members sets no switch. */
const NAMES: ReadonlySet<string> = new Set([
  "tools",
  "toolConfig",
  ...[...Object.values(BILLABLE), USUAL_BILLABLE]
    .flatMap((byDialect) => Object.values(byDialect))
    .flatMap(({ fields, closed = [], options = {} }) => [
      ...fields.map(({ path }) => path),
      ...closed,
      ...Object.keys(options),
    ])
    .map((path) => path.split(/[.[]/, 1)[0] ?? path),
])

/** The format of a request: a dialect of chat, or any operation other than chat. */
export type RequestFormat = DialectId | "operation"

/** Whether a body may set a switch, or has a field that may be unknown at a vendor. This is a quick check. */
export function maySetSwitch(body: JsonObject, format: RequestFormat): boolean {
  for (const name in body) {
    if (NAMES.has(name) && isSet(body[name])) return true
  }
  if (Array.isArray(body.input) && body.input.some(addsTools)) return true
  return mayDefineTools(body) || unknownFieldsOf(format).find(body, 1).length > 0
}

/** Returns the switches that a body sets at a vendor, except free switches, and then the unknown fields. */
export function findSwitches(
  body: JsonObject,
  switches: Switches,
  format: RequestFormat,
): SetSwitch[] {
  const setSwitches: SetSwitch[] = []
  for (const field of switches.fields) {
    for (const found of valuesAt(body, field.path)) {
      if (!isSet(found.value)) continue
      const { place, value, holder } = decidingOf(field, found.place, found.value)
      const isKnown = field.member === undefined || holder !== undefined
      const charge = applied(isKnown ? chargeOf(field, value) : field.otherwise, body)
      if (!isFree(charge))
        setSwitches.push({ place, value, charge, field, ...(holder && { holder }) })
    }
  }
  const outlasts = isKept(body)
  const unknownFields = unknownFieldsOf(format, switches)
  const unknown = [...unknownFields.find(body, MAX_UNKNOWN)]
  const tools = toolsOf(body, format)
  for (const { place, type, tool, isAdded } of tools) {
    const parameters = unknownFields.inTool(type, tool, place.replace(/\.type$/, ""), MAX_UNKNOWN)
    unknown.push(...parameters)
    const own = Object.hasOwn(switches.tools, type) ? switches.tools[type] : undefined
    const charge = own !== undefined && isIncluded(type, tools, switches) ? LOOPED : own
    const known = charge === undefined ? UNKNOWN_TOOL : applied(charge, tool)
    if (isFree(known)) continue
    setSwitches.push({ place, value: type, charge: isAdded && outlasts ? OUTLASTING : known, tool })
  }
  for (const { place, why } of unknown) {
    // The value may be a secret, such as a key of the caller.
    setSwitches.push({ place, value: null, charge: { by: "unknown", why }, isUnknownField: true })
  }
  return setSwitches
}

/** Returns the switches without the unknown top-level fields that the operator of a provider allows. */
export function withoutAllowed(
  setSwitches: readonly SetSwitch[],
  allowed: ReadonlySet<string>,
): readonly SetSwitch[] {
  if (allowed.size === 0) return setSwitches
  return setSwitches.filter(({ place, isUnknownField }) => {
    const [field = ""] = place.split(/[.[]/, 1)
    return isUnknownField !== true || !allowed.has(field)
  })
}

const UNKNOWN_TOOL: Charge = { by: "unknown", why: "the price of such a tool is unknown" }

/** Returns the charge that applies, which may depend on other fields of the tool or the request. */
function applied(charge: Charge, holder: JsonObject): Charge {
  if (charge.by !== "calls" || charge.insteadIf === undefined) return charge
  const { path, charge: other } = charge.insteadIf
  return valuesAt(holder, path).some(({ value }) => isTrue(value)) ? other : charge
}

/** Whether a value is true, also as text, because some vendors accept text. */
function isTrue(value: JsonValue | undefined): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true")
}

/** Maximum number of unknown fields of a request that are listed. */
const MAX_UNKNOWN = 20

/** Whether a tool costs only its tokens, because of another tool in the request. */
function isIncluded(
  type: string,
  tools: readonly FoundTool[],
  { included = {} }: Switches,
): boolean {
  const rule = Object.hasOwn(included, type) ? included[type] : undefined
  return (
    rule !== undefined &&
    tools.some(({ type: other, tool }) => {
      if (!rule.beside.includes(other)) return false
      return (VERSION.exec(shown(tool.type))?.[1] ?? "") >= rule.since
    })
  )
}

/** The charge for a tool that later requests use without naming it, because they continue from this request. */
const OUTLASTING: Charge = {
  by: "unknown",
  why: "it would stay in later turns that do not name it: name it in 'tools', or send 'store: false'",
}

/** Whether the vendor stores the items of a request for later requests. */
function isKept({ store, conversation }: JsonObject): boolean {
  return store !== false || isSet(conversation)
}

/** Whether a value sets a switch. Null, false and absent values set no switch. */
export function isSet(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null || value === false) return false
  return !Array.isArray(value) || value.length > 0
}

function isFree(charge: Charge): boolean {
  return charge.by === "tokens" && charge.adds === undefined
}

/** Returns the part of a value that determines the charge: the value itself, or a member of it. */
function decidingOf(
  { member }: FieldSwitch,
  place: string,
  value: JsonValue,
): Pick<SetSwitch, "place" | "value" | "holder"> {
  const own = member !== undefined && isJsonObject(value) ? value[member] : undefined
  if (own === undefined || !isJsonObject(value)) return { place, value }
  return { place: `${place}.${member}`, value: own, holder: value }
}

function chargeOf(field: FieldSwitch, value: JsonValue): Charge {
  if (typeof value !== "string" || field.values === undefined) return field.otherwise
  const name = value.toLowerCase()
  const known = Object.hasOwn(field.values, name) ? field.values[name] : undefined
  return known ?? field.otherwise
}

interface Place {
  readonly place: string
  readonly value: JsonValue | undefined
}

/**
 * Returns the values at a path. Each element of a list is a separate value, and any other value is treated as a list of
 * one.
 */
export function valuesAt(body: JsonObject, path: string): readonly Place[] {
  let places: Place[] = [{ place: "", value: body }]
  for (const step of path.split(".")) {
    const isList = step.endsWith("[]")
    const name = isList ? step.slice(0, -2) : step
    places = places.flatMap(({ place, value }): Place[] => {
      const member = isJsonObject(value) ? value[name] : undefined
      if (member === undefined) return []
      const here = place === "" ? name : `${place}.${name}`
      if (!isList || !Array.isArray(member)) return [{ place: here, value: member }]
      return member.map((element, index) => ({ place: `${here}[${index}]`, value: element }))
    })
  }
  return places
}

interface FoundTool {
  readonly place: string
  readonly type: string
  readonly tool: JsonObject
  /** Whether an item of the conversation adds the tool. */
  readonly isAdded?: boolean
}

function toolsOf(body: JsonObject, dialect: RequestFormat): FoundTool[] {
  if (dialect === "gemini") return toolsByMember(listAt(body, "tools"), "tools")
  if (dialect === "bedrock-converse") {
    const config = isJsonObject(body.toolConfig) ? body.toolConfig : {}
    return toolsByMember(listAt(config, "tools"), "toolConfig.tools")
  }
  const found = toolsByType(body.tools, "tools")
  if (dialect === "anthropic-messages") {
    const defined = definedTools(body).flatMap(({ place, tool }) => toolByType(tool, place))
    return [...found, ...defined]
  }
  if (dialect !== "openai-responses" || !Array.isArray(body.input)) return found
  for (const [index, item] of body.input.entries()) {
    if (!addsTools(item)) continue
    const added = toolsByType(item.tools, `input[${index}].tools`)
    found.push(...added.map((tool) => ({ ...tool, isAdded: true })))
  }
  return found
}

/** Whether an item of a conversation adds tools, explicitly or as results of a tool search. */
function addsTools(item: JsonValue): item is JsonObject {
  if (!isJsonObject(item)) return false
  return item.type === "additional_tools" || item.type === "tool_search_output"
}

function toolsByType(value: JsonValue | undefined, place: string): FoundTool[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((tool, index) => toolByType(tool, `${place}[${index}]`))
}

/**
 * Returns a tool and its nested tools. A tool without a type is a function. Dialects reject a tool that is not an
 * object.
 */
function toolByType(tool: JsonValue, place: string): FoundTool[] {
  if (!isJsonObject(tool)) return []
  checkToolNames(tool, place)
  if (typeof tool.type !== "string") return []
  const own = { place: `${place}.type`, type: typeOf(tool, tool.type), tool }
  return [own, ...toolsByType(tool.tools, `${place}.tools`)]
}

/**
 * Matches the version in the type of a tool, such as `web_search_20250305` or `web_search_2025_08_26`. The charge of a
 * tool does not depend on its own version.
 */
const VERSION = /_(\d{8}|\d{4}_\d{2}_\d{2})$/

/** Returns the charge for a tool; undefined for a tool that is not in the table. */
export function chargeOfTool(tool: JsonObject, { tools }: Switches): Charge | undefined {
  if (typeof tool.type !== "string") return undefined
  const type = typeOf(tool, tool.type)
  return Object.hasOwn(tools, type) ? tools[type] : undefined
}

/** Returns the type of a tool, which distinguishes tools by the place where they run. */
function typeOf(tool: JsonObject, type: string): string {
  const bare = type.replace(VERSION, "")
  const { environment } = tool
  if (bare !== "shell" || !isJsonObject(environment)) return bare
  return `${bare}/${shown(environment.type)}`
}

function toolsByMember(tools: readonly JsonValue[], place: string): FoundTool[] {
  return tools.flatMap((tool, index) =>
    isJsonObject(tool)
      ? Object.keys(tool).map((name) => ({
          place: `${place}[${index}].${name}`,
          type: name,
          tool,
        }))
      : [],
  )
}
