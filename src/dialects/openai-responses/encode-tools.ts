import type { ResponseFormat, Tool, ToolChoice } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"
import type { LossList } from "../../canon/losses.ts"
import { noteCache } from "./encode-parts.ts"

/**
 * A function as a vendor takes it. OpenAI holds a function to its schema unless told not to, which no
 * other dialect does: who said nothing means no.
 */
export function encodeTool(tool: Tool, losses: LossList): JsonObject {
  noteCache(tool, losses)
  return { ...declarationOf(tool), ...losses.fieldsOf(tool.extra) }
}

/** A function as a response repeats it: every member present (specs/openresponses). */
export function echoTool(tool: Tool): JsonObject {
  return { description: null, ...declarationOf(tool) }
}

function declarationOf({ name, description, parameters, strict }: Tool): JsonObject {
  return {
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strict ?? false,
  }
}

/** A choice, in a request and in a response alike. */
export function encodeToolChoice(choice: ToolChoice): JsonValue {
  return choice.type === "tool" ? { type: "function", name: choice.name } : choice.type
}

/** The format of the text, in a request and in a response alike. */
export function encodeFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" }
    case "json-object":
      return { type: "json_object" }
    case "json-schema": {
      const { name, schema, description, strict } = format
      return {
        type: "json_schema",
        name,
        ...(description === undefined ? {} : { description }),
        schema: schema ?? {},
        ...(strict === undefined ? {} : { strict }),
      }
    }
  }
}
