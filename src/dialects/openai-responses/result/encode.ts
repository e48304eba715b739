import type { ChatRequest, ChatResult, Choice } from "../../../canon/chat.ts"
import { ownFields } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
} from "../../../canon/json.ts"
import type { CallOrigin, Part } from "../../../canon/message.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { originsOf } from "../../shared/tool-names.ts"
import { encodeAnnotations } from "../citations.ts"
import { encodeFinish, type Ending } from "../finish.ts"
import { DIALECT, ItemIds } from "../identifiers.ts"
import { audioContent, audioData, imageItem, ownImageItem } from "../media.ts"
import {
  callItem,
  encodeLogprobs,
  messageItem,
  reasoningItem,
  refusalContent,
  textContent,
} from "./output-items.ts"
import { echoOf, encodeResponse, responseId } from "./response.ts"
import { encodeUsage } from "../usage.ts"
import { searchId, searchItem } from "../search.ts"

/**
 * Encodes a whole response (docs/contribute/wire/openai-responses.md#f3, docs/use/endpoints.md#chat). This dialect has
 * only one choice.
 */
export function encodeResult(result: ChatResult, request: ChatRequest): JsonObject {
  const [choice] = result.choices
  const ending = encodeFinish(choice?.finish ?? "other")
  const createdAt = result.created ?? nowInSeconds()
  const response = {
    id: responseId(request, result.id),
    createdAt,
    model: result.model ?? request.model,
    status: ending.status,
    incomplete: ending.incomplete,
    output: choice === undefined ? [] : encodeOutput(choice, ending, originsOf(request)),
    usage: encodeUsage(result.usage ?? NO_USAGE),
  }
  return { ...encodeResponse(response, echoOf(request)), ...ownFields(DIALECT, result.extra) }
}

type Origins = ReadonlyMap<string, CallOrigin> | undefined

function encodeOutput(choice: Choice, ending: Ending, origins: Origins): JsonObject[] {
  const ids = new ItemIds()
  const { output: others } = ownFields(DIALECT, choice.extra) ?? {}
  const logprobs = encodeLogprobs(choice.extra)
  const items: JsonObject[] = []
  let content: JsonValue[] | undefined
  for (const part of choice.parts) {
    if (part.type === "text" || part.type === "refusal" || part.type === "audio") {
      if (content === undefined) {
        content = []
        items.push(messageItem(ids.itemId("msg_"), "completed", content))
      }
      content.push(encodeSaid(part))
      continue
    }
    content = undefined
    items.push(...encodeItem(part, ids, origins))
  }
  if (Array.isArray(others)) items.push(...others.filter(isJsonObject))
  if (logprobs.length > 0) setLogprobs(items, logprobs)
  const last = items.at(-1)
  if (ending.status === "incomplete" && last?.status === "completed") last.status = ending.status
  return items
}

function encodeSaid(part: Extract<Part, { type: "text" | "refusal" | "audio" }>): JsonObject {
  if (part.type === "audio") return audioContent(audioData(part, true), part.transcript ?? "")
  return part.type === "refusal"
    ? refusalContent(part.text)
    : textContent(part.text, encodeAnnotations(part))
}

function encodeItem(part: Part, ids: ItemIds, origins: Origins): JsonObject[] {
  switch (part.type) {
    case "reasoning":
      return [reasoningItem(ids.itemId("rs_", part.id), part)]
    case "tool-call": {
      const origin = part.origin ?? origins?.get(part.name)
      const id = ids.itemId(origin?.form === "text" ? "ctc_" : "fc_")
      return [callItem(id, "completed", { ...part, id: ids.callId(part.id) }, origin)]
    }
    case "web-search":
      return part.reportedIn === DIALECT ? [] : [searchItem(searchId(), part)]
    case "image": {
      const item = ownImageItem(part) ?? imageItem("", part)
      return item === undefined ? [] : [{ ...item, id: ids.itemId("ig_", textAt(item, "id")) }]
    }
    case "unknown":
      return ownItems(ownFields(DIALECT, part.extra), ids)
    default:
      return []
  }
}

/** Returns items of this dialect that were kept unchanged, each under the name of its type. */
function ownItems(fields: JsonObject | undefined, ids: ItemIds): JsonObject[] {
  return Object.values(fields ?? {})
    .filter(isJsonObject)
    .map((item) => ({ ...item, id: ids.itemId("item_", textAt(item, "id")) }))
}

/** Adds log probabilities to the first text of the response. They are stored for the response as a whole. */
function setLogprobs(items: readonly JsonObject[], logprobs: JsonValue[]): void {
  const message = items.find(({ type }) => type === "message")
  const first = message === undefined ? undefined : listAt(message, "content")[0]
  if (isJsonObject(first) && first.type === "output_text") first.logprobs = logprobs
}
