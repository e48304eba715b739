import { EntryCount } from "../../../canon/response-limits.ts"
import type { ChatRequest, ChatResult, Choice } from "../../../canon/chat.ts"
import type { Writable } from "../../../canon/writable.ts"
import { GatewayError } from "../../../canon/errors.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../../canon/json.ts"
import type { Part, ReasoningPart, TextPart, ToolCallPart } from "../../../canon/message.ts"
import type { Tool } from "../../../canon/tool.ts"
import { defined } from "../../shared/fields.ts"
import { mintCallId } from "../../shared/identifiers.ts"
import { nameInRequest } from "../../shared/tool-names.ts"
import { decodeAnnotation } from "../citations.ts"
import { failedResponse } from "../errors.ts"
import { wholeFinish } from "../../shared/finish.ts"
import { decodeFinish } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { checkImages, checkToolCalls } from "../../shared/choices.ts"
import { decodeImageItem, IMAGE_CALL } from "../media.ts"
import { reasoningText } from "../reasoning.ts"
import { ownItem } from "./own-item.ts"
import { responseHead } from "./head.ts"
import { originOfCall } from "../tools/decode.ts"
import { decodeUsage } from "../usage.ts"
import { decodeSearch } from "../search.ts"
import { textArguments } from "../../shared/text-tool.ts"

/**
 * Decodes a whole response (docs/contribute/wire/openai-responses.md#f3). Items that the canon lacks are kept among the
 * parts unchanged. Log probabilities are kept for the choice.
 * @throws GatewayError if the body is not a response, or is a failed response.
 */
export function decodeResult(body: JsonObject, request?: ChatRequest): ChatResult {
  if (body.status === "failed") throw failedResponse(body)
  if (!Array.isArray(body.output)) {
    throw new GatewayError("upstream_error", "The provider's response is not a response.")
  }
  countEntries(body.output)
  const items = body.output.filter(isJsonObject).map(ownItem)
  checkImages(items.filter(({ type }) => type === IMAGE_CALL).length)
  checkToolCalls(
    items.filter(({ type }) => type === "function_call" || type === "custom_tool_call").length,
  )
  const choices = [decodeChoice(body, items, request?.tools)]
  return defined({ ...responseHead(body), choices, usage: decodeUsage(body) })
}

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more items, texts or citations than a response can have.
 */
function countEntries(output: JsonValue[]): void {
  const count = new EntryCount()
  count.parts(output)
  for (const item of output) {
    if (!isJsonObject(item)) continue
    count.parts(item.content)
    count.parts(item.summary)
    if (Array.isArray(item.content)) for (const each of item.content) countAnnotations(each, count)
    else countAnnotations(item.content, count)
    const action = objectAt(item, "action")
    if (action === undefined) continue
    count.citations(action.queries)
    count.citations(action.sources)
  }
}

function countAnnotations(content: JsonValue | undefined, count: EntryCount): void {
  if (isJsonObject(content)) count.citations(content.annotations)
}

function decodeChoice(
  body: JsonObject,
  items: readonly JsonObject[],
  tools: readonly Tool[] | undefined,
): Choice {
  const parts = items.flatMap((item) => decodeItem(item, tools))
  const hasCalls = parts.some(({ type }) => type === "tool-call")
  const { reason, raw } = wholeFinish(decodeFinish(body, hasCalls))
  const logprobs = items.flatMap(logprobsOf)
  const extra = logprobs.length === 0 ? undefined : extraOf(DIALECT, { logprobs })
  return defined({ index: 0, parts, finish: reason, rawFinish: raw, extra })
}

function decodeItem(item: JsonObject, tools: readonly Tool[] | undefined): Part[] {
  switch (item.type) {
    case "message":
      return listAt(item, "content").filter(isJsonObject).flatMap(decodeContent)
    case "function_call":
    case "custom_tool_call":
      return [decodeCall(item, tools)]
    case "reasoning":
      return decodeReasoning(item)
    default: {
      const image = decodeImageItem(item)
      if (image !== undefined) return [image]
      const type = textAt(item, "type") ?? "item"
      const search = decodeSearch(item)
      const part: Part = { type: "unknown", extra: extraOf(DIALECT, { [type]: item }) }
      return search === undefined ? [part] : [part, search]
    }
  }
}

function decodeCall(item: JsonObject, tools: readonly Tool[] | undefined): ToolCallPart {
  const id = callIdOf(item)
  const written = argumentsOf(item) || "{}"
  const origin = originOfCall(item)
  return origin === undefined
    ? { type: "tool-call", id, name: textAt(item, "name") ?? "", arguments: written }
    : { type: "tool-call", id, name: nameInRequest(tools, origin), arguments: written, origin }
}

/** Returns the id of a call. Some vendors give a call only one id. */
export function callIdOf(item: JsonObject): string {
  return textAt(item, "call_id") ?? textAt(item, "id") ?? mintCallId()
}

/** Returns the arguments of a call as text. Some servers send them as an object. */
export function argumentsOf(item: JsonObject): string {
  if (item.type === "custom_tool_call") return textArguments(textAt(item, "input") ?? "")
  const written = item.arguments
  if (isJsonObject(written)) return JSON.stringify(written)
  return typeof written === "string" ? written : ""
}

/** Decodes content. Empty text is dropped. */
function decodeContent(content: JsonObject): Part[] {
  if (content.type === "refusal") {
    const text = textAt(content, "refusal")
    return text === undefined ? [] : [{ type: "refusal", text }]
  }
  const text = textAt(content, "text")
  if (text === undefined) return []
  const part: Writable<TextPart> = { type: "text", text }
  const annotations = listAt(content, "annotations").filter(isJsonObject)
  if (annotations.length > 0) part.citations = annotations.map((each) => decodeAnnotation(each))
  return [part]
}

function decodeReasoning(item: JsonObject): ReasoningPart[] {
  const text = reasoningText(item)
  const signature = textAt(item, "encrypted_content")
  if (text === "" && signature === undefined) return []
  const part: Writable<ReasoningPart> = { type: "reasoning", text }
  if (signature !== undefined) {
    part.signature = signature
    part.signedBy = DIALECT
  }
  const id = textAt(item, "id")
  if (id !== undefined) part.id = id
  return [part]
}

function logprobsOf(item: JsonObject): readonly JsonValue[] {
  return listAt(item, "content")
    .filter(isJsonObject)
    .flatMap((content) => listAt(content, "logprobs"))
}
