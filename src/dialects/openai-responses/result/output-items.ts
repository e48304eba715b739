import type { Extra } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type { CallOrigin, ReasoningPart, ToolCallPart } from "../../../canon/message.ts"
import { logprobsOf } from "../../shared/logprobs.ts"
import { textOf } from "../../shared/text-tool.ts"

/**
 * Items of an output are built with every member that OpenAI's description or Open Responses' description requires
 * (docs/contribute/wire/openai-responses.md#f3).
 */

/** The progress of an output item. */
export type ItemStatus = "in_progress" | "completed" | "incomplete"

export function messageItem(id: string, status: ItemStatus, content: JsonValue[]): JsonObject {
  return { id, type: "message", status, role: "assistant", content }
}

/** Returns text as the content of a message item. */
export function textContent(
  text: string,
  annotations: JsonValue[] = [],
  logprobs: JsonValue[] = [],
): JsonObject {
  return { type: "output_text", text, annotations, logprobs }
}

/** Returns the log probabilities of a text, each with every required member. */
export function encodeLogprobs(extra: Extra | undefined): JsonValue[] {
  return (logprobsOf(extra) ?? [])
    .filter(isJsonObject)
    .map((each) => ({ ...each, bytes: each.bytes ?? [], top_logprobs: each.top_logprobs ?? [] }))
}

/** Returns a refusal as the content of a message item. */
export function refusalContent(refusal: string): JsonObject {
  return { type: "refusal", refusal }
}

/** Returns a paragraph of a reasoning summary. */
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

/**
 * Returns an output item of a call.
 * @param origin the caller's declaration of the tool; undefined for a plain function.
 */
export function callItem(
  id: string,
  status: ItemStatus,
  call: Pick<ToolCallPart, "id" | "name" | "arguments">,
  origin?: CallOrigin,
): JsonObject {
  const { type, call_id, name, ...members } = calledItem(call.id, call, origin)
  return { id, type, status, ...members, call_id, name }
}

/** Returns a call as an input item, which needs neither id nor status. */
export function calledItem(
  callId: string,
  call: Pick<ToolCallPart, "name" | "arguments">,
  origin: CallOrigin | undefined,
): JsonObject {
  const named = origin?.namespace === undefined ? {} : { namespace: origin.namespace }
  const name = origin?.name ?? call.name
  return origin?.form === "text"
    ? { type: "custom_tool_call", call_id: callId, name, input: textOf(call.arguments), ...named }
    : { type: "function_call", call_id: callId, name, arguments: call.arguments, ...named }
}
