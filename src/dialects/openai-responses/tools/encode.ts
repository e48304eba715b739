import type { ResponseFormat } from "../../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { Tool, ToolChoice } from "../../../canon/tool.ts"
import { defined } from "../../shared/fields.ts"
import type { LossList } from "../../shared/losses.ts"
import { noteCache } from "../messages/encode-parts.ts"
import type { OpenAiResponsesQuirks } from "../quirks.ts"
import { noteGrammar } from "../../shared/text-tool.ts"

/**
 * Encodes tools in a vendor's form. OpenAI makes functions strict by default, but other dialects do not. If strictness
 * is absent, it is therefore sent as false.
 */
export function encodeTools(
  tools: readonly Tool[],
  quirks: OpenAiResponsesQuirks,
  losses: LossList,
): JsonObject[] {
  const encode = (tool: Tool): JsonObject => {
    noteCache(tool, losses)
    if (!quirks.customTools) noteGrammar(tool, losses)
    const declared = quirks.customTools ? declarationOf(tool) : functionOf(tool)
    return { ...declared, ...losses.fieldsOf(tool.extra) }
  }
  return quirks.customTools ? inNamespaces(tools, encode) : tools.map(encode)
}

/** Encodes tools as a response repeats them, with every member (Open Responses' description). */
export function echoTools(tools: readonly Tool[]): JsonObject[] {
  return inNamespaces(tools, (tool) => ({ description: null, ...declarationOf(tool) }))
}

/** Encodes tools. Each namespace is in the position of its first tool. */
function inNamespaces(tools: readonly Tool[], encode: (tool: Tool) => JsonObject): JsonObject[] {
  const encoded: JsonObject[] = []
  const members = new Map<string, JsonValue[]>()
  for (const tool of tools) {
    const { namespace: name, namespaceDescription: description = "" } = tool.origin ?? {}
    if (name === undefined) {
      encoded.push(encode(tool))
      continue
    }
    let inside = members.get(name)
    if (inside === undefined) {
      inside = []
      members.set(name, inside)
      encoded.push({ type: "namespace", name, description, tools: inside })
    }
    inside.push(encode(tool))
  }
  return encoded
}

/** Returns a tool as its caller declared it. */
function declarationOf(tool: Tool): JsonObject {
  const { origin } = tool
  if (origin === undefined || origin.form === "legacy") return functionOf(tool)
  const { name, description, format, form } = origin
  if (form !== "text") {
    const { parameters, strict } = tool
    return functionOf(defined({ name, description, parameters, strict }))
  }
  return defined({ type: "custom", name, description, format })
}

function functionOf({ name, description, parameters, strict }: Tool): JsonObject {
  return defined({
    type: "function",
    name,
    description,
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strict ?? false,
  })
}

/**
 * Encodes a tool choice for requests and responses.
 * @param tools the tools of the request, with the names that the caller gave them.
 */
export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[] = []): JsonValue {
  if (choice.type !== "tool") return choice.type
  const origin = tools.find(({ name }) => name === choice.name)?.origin
  const type = origin?.form === "text" ? "custom" : "function"
  return { type, name: origin?.name ?? choice.name }
}

/** Encodes the format of the response for requests and responses. */
export function encodeFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" }
    case "json-object":
      return { type: "json_object" }
    case "json-schema": {
      const { name, schema, description, strict } = format
      return defined({ type: "json_schema", name, description, schema: schema ?? {}, strict })
    }
  }
}
