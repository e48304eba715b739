import { extraOf } from "../../../canon/extra.ts"
import { invalidType, unsupportedValue } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  textAt,
  unknownFields,
  listAt,
} from "../../../canon/json.ts"
import type { CallOrigin } from "../../../canon/message.ts"
import type { AllowedTools, Tool, ToolChoice, AddedTools } from "../../../canon/tool.ts"
import { flatName, nameInRequest, otherFlatName } from "../../shared/tool-names.ts"
import { decodeDeclaration, type DecodedTools, decodeTextDeclaration } from "../../shared/tools.ts"
import { wrongMember } from "../../shared/validation.ts"
import { DIALECT } from "../identifiers.ts"
import { textTool } from "../../shared/text-tool.ts"

const TOOL_CHOICES = ["none", "auto", "required"] as const

const TOOL_FIELDS = new Set(["type", "name", "description", "parameters", "strict"])
const CUSTOM_FIELDS = new Set(["type", "name", "description", "format"])

/** Returns the tools of a request; undefined if it has no tools. */
export function decodeTools(value: JsonValue | undefined): DecodedTools | undefined {
  if (!isDefined(value)) return undefined
  const { tools, others } = decodeToolList(value, "tools")
  return { tools: apart(tools), others }
}

/** Returns the tools of a list, which may have duplicate names. */
function decodeToolList(value: JsonValue, place: string): DecodedTools {
  if (!Array.isArray(value)) throw invalidType(place, "an array of objects", value)
  const tools: Tool[] = []
  const others: JsonValue[] = []
  for (let index = 0; index < value.length; index++) {
    const tool = value[index]
    const name = `${place}[${index}]`
    if (!isJsonObject(tool)) throw invalidType(name, "an object", tool)
    if (tool.type === "function") tools.push(decodeFunction(tool, name))
    else if (tool.type === "custom") tools.push(decodeCustom(tool, name))
    else if (tool.type === "namespace") decodeNamespace(tool, name, { tools, others })
    else if (typeof tool.type === "string") others.push(tool)
    else throw wrongMember(tool.type, `${name}.type`, "a string")
  }
  return { tools, others }
}

/** Returns the tools of a namespace, each under its own name. Tools of other kinds stay within the namespace. */
function decodeNamespace(
  namespace: JsonObject,
  place: string,
  { tools, others }: { tools: Tool[]; others: JsonValue[] },
): void {
  const { name, description } = namespace
  if (typeof name !== "string") throw wrongMember(name, `${place}.name`, "a string")
  if (!Array.isArray(namespace.tools)) {
    throw wrongMember(namespace.tools, `${place}.tools`, "an array of objects")
  }
  const unknown: JsonValue[] = []
  const about = typeof description === "string" ? { namespaceDescription: description } : {}
  let heading = typeof description === "string" && description !== "" ? description : undefined
  for (const [index, tool] of namespace.tools.entries()) {
    const inside = `${place}.tools[${index}]`
    if (!isJsonObject(tool)) throw invalidType(inside, "an object", tool)
    if (tool.type === "function" || tool.type === "custom") {
      const own =
        tool.type === "function" ? decodeFunction(tool, inside) : decodeCustom(tool, inside)
      tools.push({ ...own, ...memberOf({ name, ...about }, own, heading) })
      heading = undefined
    } else unknown.push(tool)
  }
  if (unknown.length > 0) others.push({ ...namespace, tools: unknown })
}

interface NamespaceNames {
  readonly name: string
  readonly namespaceDescription?: string
}

/**
 * Returns a tool with the members that it inherits from its namespace.
 * @param heading the description of the namespace. The first tool repeats it, for models that only see functions.
 */
function memberOf(
  { name: namespace, ...about }: NamespaceNames,
  { name, description, origin }: Tool,
  heading: string | undefined,
): Pick<Tool, "name" | "description" | "origin"> {
  const described = description === undefined ? {} : { description }
  const words = [description, heading && `About all of ${namespace}: ${heading}`].filter(Boolean)
  return {
    name: flatName(namespace, name),
    ...(words.length === 0 ? {} : { description: words.join("\n\n") }),
    origin: { ...(origin ?? { form: "function", name, ...described }), namespace, ...about },
  }
}

/** Makes the names of tools unique by renaming members of namespaces. */
function apart(tools: readonly Tool[]): readonly Tool[] {
  if (!tools.some(({ origin }) => origin?.namespace !== undefined)) return tools
  const taken = new Set<string>()
  for (const { name, origin } of tools) if (origin?.namespace === undefined) taken.add(name)
  return tools.map((tool) => {
    const { namespace, name } = tool.origin ?? {}
    if (namespace === undefined || name === undefined) return tool
    const own = taken.has(tool.name) ? otherFlatName(namespace, name) : tool.name
    taken.add(own)
    return own === tool.name ? tool : { ...tool, name: own }
  })
}

function decodeCustom(tool: JsonObject, place: string): Tool {
  const origin = decodeTextDeclaration(tool, place)
  const extra = unknownFields(tool, CUSTOM_FIELDS)
  const decoded = textTool(origin.name, origin)
  return extra === undefined ? decoded : { ...decoded, extra: extraOf(DIALECT, extra) }
}

/**
 * Decodes the tool choice.
 * @returns undefined for choices that exist in this dialect only, such as `allowed_tools`.
 */
export function decodeToolChoice(
  value: JsonValue | undefined,
  tools?: readonly Tool[],
): ToolChoice | undefined {
  if (!isDefined(value)) return undefined
  if (typeof value === "string") {
    const type = TOOL_CHOICES.find((known) => known === value)
    if (type === undefined) throw unsupportedValue("tool_choice", value, TOOL_CHOICES)
    return { type }
  }
  if (!isJsonObject(value)) {
    throw invalidType("tool_choice", "one of a tool choice or object", value)
  }
  if (typeof value.type !== "string") {
    throw wrongMember(value.type, "tool_choice.type", "a string")
  }
  if (value.type !== "function" && value.type !== "custom") return undefined
  if (typeof value.name === "string") return { type: "tool", name: nameChooser(tools)(value) }
  throw wrongMember(value.name, "tool_choice.name", "a string")
}

/** Returns the names that `allowed_tools` allows; undefined for every other choice. */
export function decodeAllowedTools(
  value: JsonValue | undefined,
  tools?: readonly Tool[],
): AllowedTools | undefined {
  if (!isJsonObject(value) || value.type !== "allowed_tools") return undefined
  const { mode, tools: allowed } = value
  if (!Array.isArray(allowed)) return undefined
  const nameOf = nameChooser(tools)
  const names = allowed.flatMap((tool) =>
    isJsonObject(tool) && typeof tool.name === "string" ? [nameOf(tool)] : [],
  )
  return { mode: mode === "required" ? "required" : "auto", names }
}

/**
 * Returns a function that returns the name of a chosen tool in the request. The choice may omit the namespace of a
 * tool.
 */
function nameChooser(tools: readonly Tool[] = []): (chosen: JsonObject) => string {
  const names = new Set(tools.map(({ name }) => name))
  const members = new Map(tools.toReversed().map(({ name, origin }) => [origin?.name, name]))
  return ({ name, namespace }) => {
    const wanted = String(name)
    if (typeof namespace === "string") {
      return nameInRequest(tools, { form: "function", name: wanted, namespace })
    }
    return names.has(wanted) ? wanted : (members.get(wanted) ?? wanted)
  }
}

function decodeFunction(tool: JsonObject, name: string): Tool {
  const decoded = decodeDeclaration(tool, name)
  const extra = unknownFields(tool, TOOL_FIELDS)
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

/** Returns the caller's declaration of the called tool; undefined for a plain function. */
export function originOfCall(item: JsonObject): CallOrigin | undefined {
  const form = item.type === "custom_tool_call" ? "text" : "function"
  const namespace = textAt(item, "namespace")
  if (form === "function" && namespace === undefined) return undefined
  const name = textAt(item, "name") ?? ""
  return namespace === undefined ? { form, name } : { form, name, namespace }
}

/** The type of an item that only adds tools. */
const ADDING = "additional_tools"
/** The type of an item with the results of a tool search. */
const FOUND = "tool_search_output"

/**
 * Returns the tools that items of a conversation add (openai 7.55, `ResponseInputItem`); undefined if no tools are
 * added.
 */
export function decodeAddedTools(
  body: JsonObject,
  listed: DecodedTools | undefined,
): AddedTools | undefined {
  const items = listAt(body, "input")
  if (!items.some(addsTools)) return undefined
  const tools: Tool[] = [...(listed?.tools ?? [])]
  const others: JsonValue[] = []
  for (const [index, item] of items.entries()) {
    if (!addsTools(item) || !isDefined(item.tools)) continue
    const list = decodeToolList(item.tools, `input[${index}].tools`)
    tools.push(...list.tools)
    others.push(...list.others)
  }
  return { all: apart(latest(tools)), others, item: ADDING }
}

function addsTools(item: JsonValue): item is JsonObject {
  return isJsonObject(item) && (item.type === ADDING || item.type === FOUND)
}

/** Returns each tool once. A tool that is added a second time replaces the first. */
function latest(tools: readonly Tool[]): readonly Tool[] {
  const known = new Map<string, Tool>()
  for (const tool of tools) {
    const { namespace = "", name = tool.name } = tool.origin ?? {}
    known.set(`${namespace}\0${name}`, tool)
  }
  return [...known.values()]
}
