import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { ANSWER_TOOL, type SchemaFormat, VALUE_MEMBERS } from "../shared/schema.ts"
import { type AnthropicQuirks, quirksOf } from "./quirks.ts"

/** What is asked of the model when any JSON object will do, for which this dialect has no switch. */
export const JSON_INSTRUCTION =
  "Answer with one JSON object and nothing else: no words around it and no code fence."

/** Whether a request is one whose answer comes as the arguments of the stand-in tool. */
export function answersByTool(
  request: ChatRequest | undefined,
  quirks: AnthropicQuirks,
): request is ChatRequest & { responseFormat: SchemaFormat } {
  return (
    request?.responseFormat?.type === "json-schema" &&
    !quirksOf(request.model, quirks).structuredOutput
  )
}

/** The stand-in tool for a format. */
export function answerTool({ schema, description }: SchemaFormat): JsonObject {
  return {
    name: ANSWER_TOOL,
    description: description ?? "Gives the answer. Call it once, with the whole answer.",
    input_schema: { type: "object", ...schema },
  }
}

/**
 * A schema whose objects take no members that it does not name, which Anthropic demands to be said.
 * What satisfies it satisfies the schema it was made from.
 */
export function closedSchema(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([name, member]) => [
    name,
    VALUE_MEMBERS.has(name) ? member : closedMember(member),
  ])
  const closed: JsonObject = Object.fromEntries(members)
  if (schema.type === "object" && schema.additionalProperties === undefined) {
    closed.additionalProperties = false
  }
  return closed
}

function closedMember(member: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(member)) return member.map((item) => closedMember(item) ?? null)
  return isJsonObject(member) ? closedSchema(member) : member
}
