import { EntryCount } from "../../canon/response-limits.ts"
import type { ChatRequest, ChatResult, Choice } from "../../canon/chat.ts"
import type { Writable } from "../../canon/writable.ts"
import { GatewayError } from "../../canon/errors.ts"
import { extraOf } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import type { Citation, Part, TextPart } from "../../canon/message.ts"
import { checkToolCalls } from "../shared/choices.ts"
import { defined } from "../shared/fields.ts"
import { wholeFinish } from "../shared/finish.ts"
import { mintCallId } from "../shared/identifiers.ts"
import { decodeCitation } from "./citations.ts"
import { decodeFinish } from "./finish.ts"
import { DIALECT } from "./identifiers.ts"
import { argumentsText } from "./tools.ts"
import { decodeUsage } from "./usage.ts"

const RESULT_FIELDS = new Set(["id", "message", "finish_reason", "usage", "logprobs"])
const MESSAGE_FIELDS = new Set(["role", "content", "tool_plan", "tool_calls", "citations"])

/**
 * Decodes a whole response of `/v2/chat` (docs/contribute/wire/cohere-chat.md#f2). It has one choice, whose extra
 * contains the log probabilities and, under `message`, the members that the canon lacks.
 * @throws GatewayError `upstream_error` if the body is not a response, or if the response broke off.
 */
export function decodeResult(body: JsonObject, request?: ChatRequest): ChatResult {
  const message = objectAt(body, "message")
  if (message === undefined) {
    throw new GatewayError("upstream_error", "The provider's response is not a chat message.")
  }
  countEntries(message)
  const extra = unknownFields(body, RESULT_FIELDS)
  return defined({
    choices: [decodeChoice(body, message, request)],
    id: textAt(body, "id"),
    usage: decodeUsage(body.usage),
    extra: extra && extraOf(DIALECT, extra),
  })
}

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more blocks or sources than a response can have.
 */
function countEntries(message: JsonObject): void {
  const count = new EntryCount()
  count.parts(message.content)
  count.citations(message.citations)
  for (const cited of listAt(message, "citations")) {
    if (isJsonObject(cited)) count.citations(cited.sources)
  }
}

function decodeChoice(
  body: JsonObject,
  message: JsonObject,
  request: ChatRequest | undefined,
): Choice {
  const parts = decodeContent(message)
  const plan = textAt(message, "tool_plan")
  if (plan !== undefined) parts.push({ type: "reasoning", text: plan })
  const calls = decodeCalls(message)
  parts.push(...calls)
  const finish = wholeFinish(decodeFinish(body.finish_reason, calls.length > 0, request))
  const extra = choiceExtra(body, message)
  return defined({
    index: 0,
    parts,
    finish: finish.reason,
    rawFinish: finish.raw,
    stopSequence: finish.stopSequence,
    extra: extra && extraOf(DIALECT, extra),
  })
}

/** Decodes text and reasoning. Each citation names the content block that contains its text. */
function decodeContent(message: JsonObject): Part[] {
  const parts: Part[] = []
  const texts = new Map<number, Writable<TextPart>>()
  for (const [index, block] of listAt(message, "content").entries()) {
    if (!isJsonObject(block)) continue
    const text = textAt(block, "text")
    const thinking = textAt(block, "thinking")
    if (thinking !== undefined) parts.push({ type: "reasoning", text: thinking })
    if (text === undefined) continue
    const part: Writable<TextPart> = { type: "text", text }
    texts.set(index, part)
    parts.push(part)
  }
  const [first] = texts.values()
  const citationsOf = new Map<Writable<TextPart>, Citation[]>()
  for (const cited of listAt(message, "citations")) {
    if (!isJsonObject(cited)) continue
    const part = texts.get(Number(cited.content_index ?? Number.NaN)) ?? first
    const citations = decodeCitation(cited)
    if (part !== undefined && citations.length > 0) {
      const listed = citationsOf.get(part) ?? []
      citationsOf.set(part, listed)
      listed.push(...citations)
      part.citations = listed
    }
  }
  return parts
}

function decodeCalls(message: JsonObject): Part[] {
  const parts: Part[] = []
  const calls = listAt(message, "tool_calls")
  checkToolCalls(calls.length)
  for (const call of calls) {
    if (!isJsonObject(call)) continue
    const called = objectAt(call, "function") ?? {}
    parts.push({
      type: "tool-call",
      id: textAt(call, "id") ?? mintCallId(),
      name: textAt(called, "name") ?? "",
      arguments: argumentsText(called.arguments),
    })
  }
  return parts
}

function choiceExtra(body: JsonObject, message: JsonObject): JsonObject | undefined {
  const inside = unknownFields(message, MESSAGE_FIELDS)
  const logprobs = listAt(body, "logprobs")
  if (inside === undefined && logprobs.length === 0) return undefined
  return {
    ...(logprobs.length === 0 ? {} : { logprobs: [...logprobs] }),
    ...(inside === undefined ? {} : { message: inside }),
  }
}
