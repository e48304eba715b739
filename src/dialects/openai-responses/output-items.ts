import type { ReasoningPart, ToolCallPart } from "../../canon/chat.ts"
import type { JsonObject, JsonValue } from "../../canon/json.ts"

/** The items of an output, each with every member that either description requires (WIRE.md 4). */

export type ItemStatus = "in_progress" | "completed" | "incomplete"

export function messageItem(id: string, status: ItemStatus, content: JsonValue[]): JsonObject {
  return { id, type: "message", status, role: "assistant", content }
}

export function textContent(
  text: string,
  annotations: JsonValue[] = [],
  logprobs: JsonValue[] = [],
): JsonObject {
  return { type: "output_text", text, annotations, logprobs }
}

export function refusalContent(refusal: string): JsonObject {
  return { type: "refusal", refusal }
}

export function summaryText(text: string): JsonObject {
  return { type: "summary_text", text }
}

export function reasoningItem(
  id: string,
  { text, signature }: Pick<ReasoningPart, "text" | "signature">,
): JsonObject {
  return {
    id,
    type: "reasoning",
    summary: text === "" ? [] : [summaryText(text)],
    ...(signature === undefined ? {} : { encrypted_content: signature }),
  }
}

export function callItem(
  id: string,
  status: ItemStatus,
  call: Pick<ToolCallPart, "id" | "name" | "arguments">,
): JsonObject {
  return {
    id,
    type: "function_call",
    status,
    arguments: call.arguments,
    call_id: call.id,
    name: call.name,
  }
}
