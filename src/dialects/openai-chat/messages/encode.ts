import { type Extra, extraOf } from "../../../canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../canon/json.ts"
import type {
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../../canon/message.ts"
import { shownByUser } from "../../shared/assistant-media.ts"
import type { LossList } from "../../shared/losses.ts"
import { textOf } from "../../shared/text-tool.ts"
import { CACHE_FIELD } from "../cache.ts"
import { DIALECT } from "../identifiers.ts"
import { encodeImages } from "../media.ts"
import { isContentType } from "./decode-parts.ts"
import { encodeContent } from "./encode-parts.ts"
import type { OpenAiChatQuirks } from "../quirks/index.ts"
import { type PlacedReasoning, encodeReasoning } from "../reasoning/details.ts"

/**
 * Encodes the messages of a request. Each tool result is a separate message, before the other parts of its message.
 * Content of results other than text follows in a user message after the last result. OpenAI accepts only text from
 * tools, and no other message between results.
 */
export function encodeMessages(
  messages: readonly Message[],
  quirks: OpenAiChatQuirks,
  losses: LossList,
): JsonObject[] {
  const encoder = new MessageEncoder(quirks, losses)
  const shown = quirks.assistantImages ? messages : shownByUser(messages, DIALECT, losses)
  for (const message of shown) encoder.push(message)
  return encoder.end()
}

class MessageEncoder {
  readonly #quirks: OpenAiChatQuirks
  readonly #losses: LossList
  readonly #encoded: JsonObject[] = []
  /** Content of tool results, other than text, that has not been written yet. */
  #shown: Part[] = []

  constructor(quirks: OpenAiChatQuirks, losses: LossList) {
    this.#quirks = quirks
    this.#losses = losses
  }

  push(message: Message): void {
    const responses = message.parts.filter((part) => part.type === "tool-result")
    if (responses.length === 0) this.#show()
    for (const response of responses) {
      this.#shown.push(...response.content.filter((part) => part.type !== "text"))
      this.#encoded.push(this.#response(response, message))
    }
    const rest = message.parts.filter((part) => part.type !== "tool-result")
    if (rest.length === 0 && responses.length > 0) return
    this.#show()
    this.#encoded.push(
      message.role === "assistant" ? this.#assistant(message, rest) : this.#plain(message, rest),
    )
  }

  end(): JsonObject[] {
    this.#show()
    return this.#encoded
  }

  #show(): void {
    if (this.#shown.length === 0) return
    this.#losses.add("tool_result.media", "approximated")
    this.#encoded.push({ role: "user", content: this.#content(this.#shown) })
    this.#shown = []
  }

  #content(parts: readonly Part[]): JsonValue {
    return encodeContent(parts, this.#quirks, this.#losses)
  }

  #response(response: ToolResultPart, message: Message): JsonObject {
    if (response.failed === true) this.#losses.add("tool_result.failed")
    const { content: others } = this.#fieldsOf(response.extra) ?? {}
    const content = this.#content([...this.#textOf(response), ...unknownParts(others)])
    const { origin } = response
    if (origin?.form === "legacy") return { role: "function", name: origin.name, content }
    const encoded: JsonObject = { role: "tool", tool_call_id: response.id, content }
    return message.role === "tool" ? this.#withRest(encoded, message) : encoded
  }

  /** Returns the text of a result. A cache marker for the entire result is moved to its last part. */
  #textOf({ content, cache }: ToolResultPart): TextPart[] {
    const said = content.filter((part) => part.type === "text")
    const last = said.pop()
    if (last === undefined) {
      if (cache !== undefined) this.#losses.add(CACHE_FIELD)
      return []
    }
    return [...said, cache === undefined ? last : { ...last, cache }]
  }

  #plain(message: Message, parts: readonly Part[]): JsonObject {
    const role = message.role === "tool" ? "user" : message.role
    return this.#withRest({ role, content: this.#content(parts) }, message)
  }

  #assistant(message: Message, parts: readonly Part[]): JsonObject {
    const reasoning: PlacedReasoning[] = []
    const content: Part[] = []
    const calls: JsonValue[] = []
    const images: ImagePart[] = []
    const encoded: JsonObject = { role: "assistant", content: null }
    let refusal = ""
    for (const part of parts) {
      if (part.type === "reasoning") this.#reasoning(part, reasoning)
      else if (part.type === "refusal") refusal += part.text
      else if (part.type === "image") images.push(part)
      else if (part.type === "tool-call") this.#call(part, encoded, calls)
      else if (part.type === "unknown" && isOtherCall(part.extra)) calls.push(part.extra.fields)
      else content.push(part)
    }
    if (content.length > 0) encoded.content = this.#content(content)
    if (refusal !== "") encoded.refusal = refusal
    if (calls.length > 0) encoded.tool_calls = calls
    if (images.length > 0) encoded.images = encodeImages(images)
    // The content must not be null if the message contains nothing else.
    const isSilent = calls.length === 0 && refusal === "" && encoded.function_call === undefined
    if (encoded.content === null && isSilent) encoded.content = ""
    Object.assign(encoded, encodeReasoning(reasoning, "reasoning_content"))
    return this.#withRest(encoded, message)
  }

  /**
   * Adds reasoning. A signature is sent only to the vendor that can read it. Without the signature, withheld reasoning
   * has no content.
   */
  #reasoning(part: ReasoningPart, reasoning: PlacedReasoning[]): void {
    this.#fieldsOf(part.extra)
    if (part.signature === undefined || part.signedBy === DIALECT) {
      reasoning.push({ part })
      return
    }
    this.#losses.add("reasoning.signature")
    if (part.text !== "") reasoning.push({ part: { type: "reasoning", text: part.text } })
  }

  #call(part: ToolCallPart, encoded: JsonObject, calls: JsonValue[]): void {
    // A call cannot have a cache marker.
    if (part.cache !== undefined) this.#losses.add(CACHE_FIELD)
    const extra = this.#fieldsOf(part.extra)
    const { id, name, arguments: written, origin } = part
    const called = { name, arguments: written }
    if (origin?.form === "legacy") encoded.function_call = called
    else if (origin?.form === "text" && this.#quirks.customTools) {
      const custom = { name, input: textOf(written) }
      calls.push({ id, type: "custom", custom, ...extra })
    } else calls.push({ id, type: "function", function: called, ...extra })
  }

  #withRest(encoded: JsonObject, message: Message): JsonObject {
    if (message.name !== undefined) encoded.name = message.name
    return Object.assign(encoded, this.#fieldsOf(message.extra))
  }

  #fieldsOf(extra: Extra | undefined): JsonObject | undefined {
    return this.#losses.fieldsOf(extra)
  }
}

/**
 * Whether an extra is a call to something other than a function. It is kept unchanged, and distinguished from content
 * by its type.
 */
function isOtherCall({ dialect, fields }: Extra): boolean {
  return dialect === DIALECT && typeof fields.type === "string" && !isContentType(fields.type)
}

/** Returns the parts of a tool result that only some vendors support, as received. */
function unknownParts(kept: JsonValue | undefined): Part[] {
  if (!Array.isArray(kept)) return []
  return kept
    .filter(isJsonObject)
    .map((fields) => ({ type: "unknown", extra: extraOf(DIALECT, fields) }))
}
