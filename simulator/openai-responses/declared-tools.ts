import type { PlannedCall } from "../response.ts"
import { arrayOf, objectOf, parseObject, stringOf, type Json, type JsonObject } from "../json.ts"

/** A tool that the caller defines, and the form of its calls. */
export interface DeclaredTool {
  /** The name in a task that is written as calls. */
  readonly name: string
  readonly schema: JsonObject
  readonly isText: boolean
  /** The name without the prefix of its namespace. */
  readonly ownName: string
  readonly namespace?: string
}

const TEXT_SCHEMA = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
}

/**
 * Returns the functions and custom tools of a request, including tools that the input adds. Members of a namespace are
 * named `namespace__name`.
 */
export function declaredTools({ tools, input }: JsonObject): readonly DeclaredTool[] {
  const items = arrayOf(input).map((item) => objectOf(item))
  const added = items.filter(({ type }) => type === "additional_tools")
  return [tools, ...added.map((item) => item.tools)].flatMap(listedTools)
}

function listedTools(tools: Json | undefined): readonly DeclaredTool[] {
  return arrayOf(tools).flatMap((entry) => {
    const tool = objectOf(entry)
    if (tool.type !== "namespace") return declaredTool(tool)
    const namespace = stringOf(tool.name)
    return arrayOf(tool.tools).flatMap((member) => declaredTool(objectOf(member), namespace))
  })
}

function declaredTool(tool: JsonObject, namespace?: string): DeclaredTool[] {
  const isText = tool.type === "custom"
  if (!isText && tool.type !== "function") return []
  const ownName = stringOf(tool.name)
  const schema = isText ? TEXT_SCHEMA : objectOf(tool.parameters)
  return namespace === undefined
    ? [{ name: ownName, ownName, schema, isText }]
    : [{ name: `${namespace}__${ownName}`, ownName, schema, isText, namespace }]
}

/** Returns the input of a custom tool, which is plain text. */
export function textOfCall({ argumentsText }: PlannedCall): string {
  const { input } = parseObject(argumentsText)
  return typeof input === "string" ? input : argumentsText
}
