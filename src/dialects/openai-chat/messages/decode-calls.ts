import type { Writable } from "../../../canon/writable.ts"
import { extraOf } from "../../../canon/extra.ts"
import { invalidType, missingParameter } from "../../../canon/invalid-request.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  unknownFields,
} from "../../../canon/json.ts"
import type { Part, ToolCallPart } from "../../../canon/message.ts"
import { requiredText, wrongMember } from "../../shared/validation.ts"
import { takeCache } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { textArguments } from "../../shared/text-tool.ts"

const CALL_FIELDS = new Set(["id", "type", "index", "function"])

const CUSTOM_CALL_FIELDS = new Set(["id", "type", "index", "custom"])

/** Creates ids for calls in the legacy form, which has no ids. A result belongs to the last call to its function. */
export class LegacyCalls {
  #calls: Map<string, number> | undefined

  /**
   * Counts a call to a function.
   * @returns a unique id for the call.
   */
  call(name: string): string {
    const calls = (this.#calls ??= new Map())
    calls.set(name, (calls.get(name) ?? 0) + 1)
    return this.last(name)
  }

  last(name: string): string {
    const count = this.#calls?.get(name) ?? 1
    return count === 1 ? name : `${name}_${count}`
  }
}

/**
 * Decodes the calls of a message.
 * @throws GatewayError for an invalid call.
 */
export function decodeToolCalls(calls: JsonValue | undefined, index: number): Part[] {
  if (calls === undefined || calls === null) return []
  const name = `messages[${index}].tool_calls`
  if (!Array.isArray(calls)) throw invalidType(name, "an array of objects", calls)
  return calls.map((call, position) => {
    if (!isJsonObject(call)) throw invalidType(`${name}[${position}]`, "an object", call)
    return decodeToolCall(call, index, position)
  })
}

function decodeToolCall(call: JsonObject, index: number, position: number): Part {
  const { id, type, function: called } = call
  if (type === "custom" && isJsonObject(call.custom)) {
    return decodeCustomCall(call, call.custom, `messages[${index}].tool_calls[${position}]`)
  }
  if (type !== undefined && type !== "function")
    return { type: "unknown", extra: extraOf(DIALECT, call) }
  if (typeof id === "string" && isJsonObject(called)) {
    const { name, arguments: written } = called
    if (typeof name === "string" && (typeof written === "string" || written === undefined)) {
      const part: Writable<ToolCallPart> = {
        type: "tool-call",
        id,
        name,
        arguments: written === undefined || written === "" ? "{}" : written,
      }
      return withMark(part, unknownFields(call, CALL_FIELDS))
    }
  }
  throw wrongToolCall(call, `messages[${index}].tool_calls[${position}]`)
}

function decodeCustomCall(call: JsonObject, called: JsonObject, place: string): ToolCallPart {
  const id = requiredText(call, "id", place)
  const name = requiredText(called, "name", `${place}.custom`)
  const part: Writable<ToolCallPart> = {
    type: "tool-call",
    id,
    name,
    arguments: textArguments(requiredText(called, "input", `${place}.custom`)),
    origin: { form: "text", name },
  }
  return withMark(part, unknownFields(call, CUSTOM_CALL_FIELDS))
}

/** Adds the cache marker of a call. A call may have a marker like a content part. */
function withMark(part: Writable<ToolCallPart>, unknown: JsonObject | undefined): ToolCallPart {
  const { cache, extra } = takeCache(unknown)
  if (cache !== undefined) part.cache = cache
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

/** Decodes the call of a message in the legacy form. */
export function decodeFunctionCall(
  call: JsonObject,
  index: number,
  legacy: LegacyCalls,
): ToolCallPart {
  const { name, arguments: written } = call
  if (typeof name !== "string") throw missingParameter(`messages[${index}].function_call.name`)
  return {
    type: "tool-call",
    id: legacy.call(name),
    name,
    arguments: typeof written === "string" && written !== "" ? written : "{}",
    origin: { form: "legacy", name },
  }
}

function wrongToolCall(call: JsonObject, name: string): Error {
  if (typeof call.id !== "string") return wrongMember(call.id, `${name}.id`, "a string")
  const called = call.function
  if (!isJsonObject(called)) return wrongMember(called, `${name}.function`, "an object")
  if (typeof called.name !== "string") {
    return wrongMember(called.name, `${name}.function.name`, "a string")
  }
  return invalidType(`${name}.function.arguments`, "a string", called.arguments)
}
