import { withoutMetadata, withoutOperatorData } from "../../shared/vendor-costs.ts"
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
  unknownFields,
} from "../../../canon/json.ts"
import type { Part, ToolCallPart } from "../../../canon/message.ts"
import {
  checkChoices,
  checkToolCalls,
  choiceNumbers,
  requestedChoices,
} from "../../shared/choices.ts"
import { wholeFinish } from "../../shared/finish.ts"
import { mintCallId } from "../../shared/identifiers.ts"
import { citeText } from "../citations.ts"
import { decodeErrorEvent, noChoice } from "../errors.ts"
import { decodeAudio, imagesIn } from "../media.ts"
import { decodeFinish, reportedStop } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { isUnixTime } from "../../shared/time.ts"
import { customIn, legacyCallIn } from "./calls.ts"
import { decodeContentParts } from "./content.ts"
import { Sources } from "../search.ts"
import { choiceUsage, chunkUsage, decodeUsage } from "../usage.ts"
import { decodeReasoning, joinParts } from "../reasoning/details.ts"
import { textArguments } from "../../shared/text-tool.ts"

const RESULT_FIELDS = new Set(["id", "object", "created", "model", "choices", "usage"])
const CHOICE_FIELDS = new Set(["index", "message", "finish_reason", "delta", "usage"])
const MESSAGE_FIELDS = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "function_call",
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "images",
  "audio",
])
const CALL_FIELDS = new Set(["id", "type", "index", "function", "custom"])
const CUSTOM_CALL_FIELDS = new Set(["id", "type", "index", "custom"])

/**
 * Decodes a whole chat completion (docs/contribute/wire/openai-chat.md#f3 and
 * docs/contribute/wire/openai-chat.md#vendors-with-variants-of-the-format). Members that only this dialect has are kept
 * as extra: a choice's own members directly, and the members of its message under `message`.
 * @throws GatewayError `upstream_error` if the body is not a chat completion, or has no choice.
 */
export function decodeResult(body: JsonObject, request?: ChatRequest): ChatResult {
  if (!Array.isArray(body.choices)) {
    throw new GatewayError("upstream_error", "The provider's response is not a chat completion.")
  }
  if (body.choices.length === 0) throw noChoice()
  checkChoices(body.choices)
  const extra = unknownFields(body, RESULT_FIELDS)
  const sources = Sources.of(body)
  const choices = requestedChoices(body.choices, request?.choices)
  countEntries(choices)
  const result: Writable<ChatResult> = { choices: decodeChoices(choices, { request, sources }) }
  const id = textAt(body, "id")
  if (id !== undefined) result.id = id
  const model = textAt(body, "model")
  if (model !== undefined) result.model = model
  if (isUnixTime(body.created)) result.created = body.created
  const usage = decodeUsage(chunkUsage(body) ?? choiceUsage(body.choices))
  if (usage !== undefined) result.usage = usage
  if (extra !== undefined) result.extra = extraOf(DIALECT, withoutOperatorData(extra))
  return result
}

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more texts, reasoning or citations than a response can have.
 */
function countEntries(choices: readonly JsonValue[]): void {
  const count = new EntryCount()
  for (const choice of choices) {
    const message = isJsonObject(choice) ? choice.message : undefined
    if (!isJsonObject(message)) continue
    count.parts(message.content)
    count.parts(message.reasoning_details)
    count.parts(message.images)
    count.parts(message.tool_calls)
    count.citations(message.annotations)
  }
}

function decodeChoices(choices: readonly JsonValue[], whole: Whole): Choice[] {
  const indexes = choiceNumbers(choices)
  const decoded: Choice[] = []
  for (let position = 0; position < choices.length; position++) {
    decoded.push(decodeChoice(choices[position], indexes[position] ?? position, whole))
  }
  return decoded.length === 1 ? decoded : decoded.toSorted(byIndex)
}

function byIndex(left: { readonly index: number }, right: { readonly index: number }): number {
  return left.index - right.index
}

/** Data of the response that applies to all choices. */
interface Whole {
  readonly request: ChatRequest | undefined
  readonly sources: Sources | undefined
}

function decodeChoice(
  value: JsonValue | undefined,
  index: number,
  { request, sources }: Whole,
): Choice {
  const choice = isJsonObject(value) ? value : {}
  if (isJsonObject(choice.error)) throw decodeErrorEvent(choice).failure
  const message = isJsonObject(choice.message) ? choice.message : {}
  const said: Part[] = decodeContentParts(message.content)
  const annotations = citeText(said, message.annotations)
  if (sources !== undefined) addSources(said, sources)
  const refusal = textAt(message, "refusal")
  if (refusal !== undefined) said.push({ type: "refusal", text: refusal })
  const images = imagesIn(message)
  if (images !== undefined) said.push(...images)
  const audio = objectAt(message, "audio")
  if (audio !== undefined) said.push(decodeAudio(audio, request?.speech))
  const calls = decodeCalls(message)
  const parts = joinParts(decodeReasoning(message), said, calls)
  const word = textAt(choice, "finish_reason") ?? (calls.length > 0 ? "tool_calls" : "stop")
  const finish = wholeFinish(decodeFinish(word, calls.length > 0, choice.native_finish_reason))
  const rest = message.annotations === undefined ? message : { ...message, annotations }
  const extra = choiceExtra(withoutMetadata(choice), withoutMetadata(rest))
  const decoded: Writable<Choice> = { index, parts, finish: finish.reason }
  if (finish.raw !== undefined) decoded.rawFinish = finish.raw
  const stopSequence = reportedStop(choice, request?.stop)
  if (stopSequence !== undefined) decoded.stopSequence = stopSequence
  if (extra !== undefined) decoded.extra = extraOf(DIALECT, extra)
  return decoded
}

/** Adds a search with its sources, and cites them in the last text unless the message already has citations. */
function addSources(said: Part[], sources: Sources): void {
  const last = said.findLastIndex(({ type }) => type === "text")
  const text = said[last]
  if (text?.type === "text" && text.citations === undefined) {
    const citations = sources.citationsOf(text.text, text.text.length)
    said[last] = { ...text, citations }
  }
  said.unshift(sources.search)
}

const NO_CALLS: readonly Part[] = []

function decodeCalls(message: JsonObject): readonly Part[] {
  if (message.tool_calls === undefined && message.function_call === undefined) return NO_CALLS
  const parts: Part[] = []
  const calls = listAt(message, "tool_calls")
  checkToolCalls(calls.length)
  for (const call of calls) {
    if (!isJsonObject(call)) continue
    const called = call.function
    const custom = customIn(call)
    if (custom !== undefined) {
      parts.push(customCall(call, custom))
      continue
    }
    if (!isJsonObject(called)) {
      parts.push({ type: "unknown", extra: extraOf(DIALECT, call) })
      continue
    }
    const id = textAt(call, "id") ?? mintCallId()
    parts.push(toolCall(id, called, unknownFields(call, CALL_FIELDS)))
  }
  // A call in the legacy form, if the request declares `functions`.
  const legacy = legacyCallIn(message.function_call)
  if (legacy !== undefined) parts.push(toolCall(mintCallId(), legacy, undefined))
  return parts
}

function customCall(call: JsonObject, called: JsonObject): ToolCallPart {
  const name = textAt(called, "name") ?? ""
  const part: Writable<ToolCallPart> = {
    type: "tool-call",
    id: textAt(call, "id") ?? mintCallId(),
    name,
    arguments: textArguments(textAt(called, "input") ?? ""),
    origin: { form: "text", name },
  }
  const extra = unknownFields(call, CUSTOM_CALL_FIELDS)
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

function toolCall(id: string, called: JsonObject, extra: JsonObject | undefined): ToolCallPart {
  const part: Writable<ToolCallPart> = {
    type: "tool-call",
    id,
    name: textAt(called, "name") ?? "",
    arguments: argumentsText(called.arguments),
  }
  if (extra !== undefined) part.extra = extraOf(DIALECT, extra)
  return part
}

/**
 * Returns the arguments as text. Some servers send an object. A call without arguments has `{}`
 * (docs/contribute/wire/README.md#f3).
 */
function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value === "" ? "{}" : value
  return isJsonObject(value) ? JSON.stringify(value) : "{}"
}

function choiceExtra(choice: JsonObject, message: JsonObject): JsonObject | undefined {
  const outside = unknownFields(choice, CHOICE_FIELDS)
  const inside = unknownFields(message, MESSAGE_FIELDS)
  return inside === undefined ? outside : { ...outside, message: inside }
}
