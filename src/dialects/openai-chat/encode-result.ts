import type { ChatResult, Choice, Extra, ReasoningPart } from "../../canon/chat.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { NO_USAGE } from "../../canon/usage.ts"
import { encodeFinish } from "./finish.ts"
import { mintId, withPrefix } from "./identifier.ts"
import { encodeReasoning } from "./reasoning.ts"
import { encodeUsage } from "./usage.ts"
import { DIALECT } from "./wire.ts"

/** A whole chat completion, with every member that OpenAI's own has (WIRE.md 2, SPEC). */
export function encodeResult(result: ChatResult): JsonObject {
  return {
    id: result.id === undefined ? mintId() : withPrefix(result.id, result.created),
    object: "chat.completion",
    created: result.created ?? Math.floor(Date.now() / 1000),
    model: result.model ?? "",
    choices: result.choices.map(encodeChoice),
    usage: encodeUsage(result.usage ?? NO_USAGE),
    ...ownFields(result.extra),
  }
}

/** The fields of an extra of this dialect; what belongs to another stays out. */
export function ownFields(extra: Extra | undefined): JsonObject | undefined {
  return extra?.dialect === DIALECT ? extra.fields : undefined
}

function encodeChoice(choice: Choice): JsonObject {
  const { message: extraMessage, ...extra } = ownFields(choice.extra) ?? {}
  const message = encodeMessage(choice)
  return {
    index: choice.index,
    message: isJsonObject(extraMessage) ? withFields(message, extraMessage) : message,
    logprobs: null,
    finish_reason: encodeFinish(choice.finish),
    ...extra,
  }
}

function encodeMessage(choice: Choice): JsonObject {
  let text: string | null = null
  let refusal: string | null = null
  const reasoning: ReasoningPart[] = []
  const calls: JsonValue[] = []
  for (const part of choice.parts) {
    switch (part.type) {
      case "text":
        text = (text ?? "") + part.text
        break
      case "refusal":
        refusal = (refusal ?? "") + part.text
        break
      case "reasoning":
        reasoning.push(part)
        break
      case "tool-call":
        calls.push({
          id: part.id,
          type: "function",
          function: { name: part.name, arguments: part.arguments },
          ...ownFields(part.extra),
        })
        break
      case "unknown": {
        const call = ownFields(part.extra)
        if (call !== undefined) calls.push(call)
        break
      }
      default:
    }
  }
  // A model that said nothing said the empty text: null is for one that acted instead.
  const content = text ?? (calls.length > 0 || refusal !== null ? null : "")
  const message: JsonObject = { role: "assistant", content, refusal }
  if (calls.length > 0) message.tool_calls = calls
  return Object.assign(message, encodeReasoning(reasoning, "reasoning_content"))
}

/** Lists that both have are joined: details of reasoning come from either side. */
function withFields(message: JsonObject, extra: JsonObject): JsonObject {
  const { reasoning_details: details } = message
  const more = extra.reasoning_details
  const merged = { ...message, ...extra }
  if (Array.isArray(details) && Array.isArray(more))
    merged.reasoning_details = [...details, ...more]
  return merged
}
