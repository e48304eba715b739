import { ownFields } from "../../../canon/extra.ts"
import { invalidValue } from "../../../canon/invalid-request.ts"
import { isJsonObject, type JsonObject, textAt, type JsonValue } from "../../../canon/json.ts"
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../../canon/message.ts"
import { DIALECT } from "../identifiers.ts"
import { isStandIn } from "./item-types.ts"

/**
 * Checks that every call is followed by its output, and that every output is preceded by its call, as OpenAI requires.
 * References to stored items cannot be checked here, so the vendor checks them.
 * @throws GatewayError with OpenAI's message.
 */
export function checkCalls(messages: readonly Message[]): void {
  if (messages.some(({ parts }) => parts.some(standsForOthers))) return
  const open = new Map<string, string>()
  const called = new Set<string>()
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") {
        open.set(part.id, wordOf(part))
        called.add(part.id)
      } else if (part.type === "tool-result") {
        if (!called.has(part.id)) throw outputWithoutCall(part)
        open.delete(part.id)
      } else for (const id of otherCalls(part)) called.add(id)
    }
  }
  for (const [id, word] of open) {
    throw invalidValue("input", `No tool output found for ${word} ${id}.`)
  }
}

function wordOf({ origin }: ToolCallPart | ToolResultPart): string {
  return origin?.form === "text" ? "custom tool call" : "function call"
}

function outputWithoutCall(part: ToolResultPart): Error {
  const output = `${wordOf(part)} output with call_id ${part.id}`
  return invalidValue("input", `No tool call found for ${output}.`)
}

/** Returns the ids of calls to tools other than functions. Some of these calls also have outputs. */
function otherCalls(part: Part): string[] {
  return keptItems(part)
    .map((item) => textAt(item, "call_id"))
    .filter((id) => id !== undefined)
}

function standsForOthers(part: Part): boolean {
  return keptItems(part).some(({ type }) => isStandIn(type))
}

function keptItems(part: Part): JsonObject[] {
  if (part.type !== "unknown") return []
  return Object.values(ownFields(DIALECT, part.extra) ?? {}).filter(isJsonObject)
}

/** Types of call outputs, for each form of tools. */
const OUTPUTS: ReadonlySet<JsonValue | undefined> = new Set([
  "function_call_output",
  "custom_tool_call_output",
])

/**
 * Converts outputs that name no call to user messages, since no vendor accepts such outputs. Codex stores such outputs
 * for its own tools, and sends them with every later request.
 */
export function withUnlinkedOutputs(body: JsonObject): JsonObject {
  const { input } = body
  if (!Array.isArray(input) || !input.some(isUnlinked)) return body
  return { ...body, input: input.map((item) => (isUnlinked(item) ? messageOf(item) : item)) }
}

function isUnlinked(item: JsonValue): item is JsonObject {
  if (!isJsonObject(item) || !OUTPUTS.has(item.type)) return false
  const { call_id: id } = item
  return id === undefined || id === null || id === ""
}

/** Returns a message, which is never longer than the item for which credits are held. */
function messageOf(item: JsonObject): JsonObject {
  const { output } = item
  const heading = `Output of ${textAt(item, "name") ?? "a tool"}:`
  if (Array.isArray(output)) {
    return { role: "user", content: [{ type: "input_text", text: heading }, ...output] }
  }
  const text = typeof output === "string" ? output : JSON.stringify(output ?? null)
  return { role: "user", content: `${heading} ${text}` }
}
