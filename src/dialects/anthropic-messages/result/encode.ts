import { assertNever } from "../../../canon/assert-never.ts"
import type { ChatRequest, ChatResult, Choice } from "../../../canon/chat.ts"
import { ownFields } from "../../../canon/extra.ts"
import { type JsonObject, objectIn } from "../../../canon/json.ts"
import type { AudioPart, ImagePart, Part } from "../../../canon/message.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { prefixedId } from "../../shared/identifiers.ts"
import { encodeCitation } from "../citations.ts"
import { encodeFinish } from "../finish.ts"
import { DIALECT, ID_PREFIX } from "../identifiers.ts"
import { encodeUsage, withSearches } from "../usage.ts"
import { DIRECT_CALLER } from "../tools.ts"
import { encodeSearch } from "../search.ts"

/**
 * Encodes a whole message with every member that the official client declares
 * (docs/contribute/wire/anthropic-messages.md#f19, docs/use/endpoints.md#chat). It contains only the first choice,
 * since a caller of this dialect cannot request several.
 */
export function encodeResult(result: ChatResult, request: ChatRequest): JsonObject {
  const [choice = EMPTY_CHOICE] = result.choices
  const { content: others, ...extra } = ownFields(DIALECT, choice.extra) ?? {}
  const content = reportedParts(choice.parts)
    .flatMap((part) => (part.type === "web-search" ? searchBlocks(part) : [encodePart(part)]))
    .filter((block) => block !== undefined)
  return {
    id: messageId(result.id),
    type: "message",
    role: "assistant",
    model: result.model ?? request.model,
    content: Array.isArray(others) ? [...content, ...others] : content,
    stop_reason: encodeFinish({
      reason: choice.finish,
      raw: choice.rawFinish,
      stopSequence: choice.stopSequence,
      isRefused: choice.parts.some((part) => part.type === "refusal"),
    }),
    stop_sequence: choice.stopSequence ?? null,
    ...NULL_MEMBERS,
    ...extra,
    usage: encodeUsage(withSearches(result.usage ?? NO_USAGE, searchesOf(choice.parts))),
  }
}

/** Members that are null unless the vendor set them. */
export const NULL_MEMBERS: JsonObject = Object.freeze({
  stop_details: null,
  container: null,
  diagnostics: null,
})

/** Returns a vendor's id in the form of this dialect. */
export function messageId(id: string | undefined): string {
  return prefixedId(ID_PREFIX, id)
}

const EMPTY_CHOICE: Choice = { index: 0, parts: [], finish: "other" }

/** Drops a signature that follows the last text, as in a stream (`WrittenBlocks.signature`). */
function reportedParts(parts: readonly Part[]): readonly Part[] {
  const last = parts.at(-1)
  const isSignature = last?.type === "reasoning" && last.text === "" && last.isRedacted !== true
  return isSignature && parts.at(-2)?.type === "text" ? parts.slice(0, -1) : parts
}

/**
 * Encodes a part of a response as a block.
 * @returns undefined for a part that a response in this dialect cannot contain.
 */
function encodePart(part: Exclude<Part, WebSearchPart>): JsonObject | undefined {
  switch (part.type) {
    case "text": {
      const encoded = (part.citations ?? []).map(encodeCitation)
      const citations = encoded.filter((each) => each !== undefined)
      // Anthropic omits the member if there are no citations, and AI SDK 5 and 6 reject null.
      return { type: "text", text: part.text, ...(citations.length > 0 && { citations }) }
    }
    case "refusal":
      return { type: "text", text: part.text }
    case "reasoning": {
      const { text, signature = "", isRedacted } = part
      return isRedacted === true
        ? { type: "redacted_thinking", data: signature }
        : { type: "thinking", thinking: text, signature }
    }
    case "tool-call": {
      const { id, name } = part
      let input: JsonObject | undefined
      return {
        type: "tool_use",
        id,
        name,
        // Arguments are parsed on demand, because a response may have many long calls.
        get input() {
          return (input ??= objectIn(part.arguments))
        },
        caller: DIRECT_CALLER,
        ...ownFields(DIALECT, part.extra),
      }
    }
    case "unknown":
      return ownFields(DIALECT, part.extra)
    case "audio":
      return part.transcript === undefined ? undefined : { type: "text", text: part.transcript }
    case "image":
    case "file":
    case "tool-result":
      return undefined
    default:
      return assertNever(part)
  }
}

/** Returns the words of audio that the model spoke; empty if they are unknown. */
export function spokenWords(media: ImagePart | AudioPart): string {
  return media.type === "audio" ? (media.transcript ?? "") : ""
}

function searchesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (part.type === "web-search" ? part.uses : 0), 0)
}

/** Returns the blocks of a search by another vendor. Searches that came in this dialect are part of its extras. */
function searchBlocks(search: WebSearchPart): JsonObject[] {
  if (search.reportedIn === DIALECT) return []
  const { use, input, result } = encodeSearch(search)
  return [{ ...use, input }, result]
}
