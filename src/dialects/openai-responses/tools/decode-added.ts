import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  listAt,
} from "../../../canon/json.ts"
import type { AddedTools, Tool } from "../../../canon/tool.ts"
import type { DecodedTools } from "../../shared/tools.ts"
import { apart, decodeToolList } from "./decode.ts"

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
