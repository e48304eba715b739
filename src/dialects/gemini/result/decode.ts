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
} from "../../../canon/json.ts"
import type { Part, TextPart } from "../../../canon/message.ts"
import { choiceNumber } from "../../../canon/quantity.ts"
import {
  checkChoices,
  requestedChoices,
  checkImages,
  checkToolCalls,
} from "../../shared/choices.ts"
import { defined } from "../../shared/fields.ts"
import { decodeCitations } from "../citations/decode.ts"
import { wholeFinish } from "../../shared/finish.ts"
import { decodeFinish, finishWord } from "../finish.ts"
import { DIALECT } from "../identifiers.ts"
import { decodePart } from "../messages/decode-parts.ts"
import { responseHead, blockReason, candidateExtra } from "./head.ts"
import { decodeSearch } from "../search.ts"
import { decodeGeminiUsage } from "../../shared/gemini-usage.ts"

/**
 * Decodes a whole `GenerateContentResponse` (docs/contribute/wire/gemini.md#f3). The response to a blocked prompt has
 * one choice that ended because of a filter.
 * @throws GatewayError `upstream_error` if the body is not a response.
 */
export function decodeResult(body: JsonObject, request?: ChatRequest): ChatResult {
  const choices = decodeChoices(body, request?.choices)
  return defined({ ...responseHead(body), choices, usage: decodeGeminiUsage(body.usageMetadata) })
}

function decodeChoices(body: JsonObject, asked: number | undefined): Choice[] {
  const given = listAt(body, "candidates")
  checkChoices(given)
  const candidates = requestedChoices(given, asked)
  countEntries(candidates)
  if (candidates.length > 0) return candidates.map(decodeChoice)
  const blocked = blockReason(body)
  if (blocked === undefined) {
    throw new GatewayError("upstream_error", "The provider's response has no candidates.")
  }
  return [{ index: 0, parts: [], finish: "content-filter", rawFinish: blocked }]
}

/**
 * Checks the number of entries of a response.
 * @throws GatewayError `upstream_error` if there are more parts or sources than a response can have.
 */
function countEntries(candidates: readonly JsonValue[]): void {
  const count = new EntryCount()
  for (const candidate of candidates) {
    if (!isJsonObject(candidate)) continue
    count.parts(objectAt(candidate, "content")?.parts)
    const grounding = objectAt(candidate, "groundingMetadata")
    count.citations(grounding?.groundingChunks)
    count.citations(grounding?.webSearchQueries)
    count.citations(grounding?.imageSearchQueries)
    for (const support of listAt(grounding ?? {}, "groundingSupports")) {
      if (isJsonObject(support)) count.citations(support.groundingChunkIndices)
    }
    const quoted = objectAt(candidate, "citationMetadata")
    count.citations(quoted?.citations)
    count.citations(quoted?.citationSources)
  }
}

function decodeChoice(value: JsonValue, position: number): Choice {
  const candidate = isJsonObject(value) ? value : {}
  const content = objectAt(candidate, "content") ?? {}
  const parts: Writable<Part>[] = []
  const given = listAt(content, "parts").filter(isJsonObject)
  checkImages(given.filter(({ inlineData }) => inlineData !== undefined).length)
  checkToolCalls(given.filter(({ functionCall }) => functionCall !== undefined).length)
  for (const part of given) {
    for (const decoded of decodePart(part)) append(parts, decoded)
  }
  cite(parts, candidate)
  const search = decodeSearch(candidate)
  if (search !== undefined) parts.unshift(search)
  const hasCalls = parts.some(({ type }) => type === "tool-call")
  const { reason, raw } = wholeFinish(decodeFinish(finishWord(candidate), hasCalls))
  const index = choiceNumber(candidate.index, position)
  const fields = candidateExtra(candidate)
  const extra = fields && extraOf(DIALECT, fields)
  return defined({ index, parts, finish: reason, rawFinish: raw, extra })
}

/** Adds a part. Adjacent parts of the same kind are merged, as in a folded stream. */
function append(parts: Writable<Part>[], part: Part): void {
  const last = parts.at(-1)
  if (last?.type === "text" && part.type === "text") last.text += part.text
  else if (
    last?.type === "reasoning" &&
    part.type === "reasoning" &&
    (last.signature === undefined || part.text === "")
  ) {
    Object.assign(last, part, { text: last.text + part.text })
  } else parts.push({ ...part })
}

function cite(parts: readonly Writable<Part>[], candidate: JsonObject): void {
  const texts = parts.filter((part): part is Writable<TextPart> => part.type === "text")
  const last = texts.at(-1)
  if (last === undefined) return
  const text = texts.map((part) => part.text).join("")
  const lastPartStart = text.length - last.text.length
  const citations = decodeCitations(candidate, { text, lastPartStart })
  if (citations.length > 0) last.citations = citations
}
