import type { ChatEvent } from "../../../canon/chat.ts"
import { extraOf } from "../../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
  unknownFields,
} from "../../../canon/json.ts"
import type { OtherContent } from "../../../canon/other-content.ts"
import type { Tool } from "../../../canon/tool.ts"
import { nameInRequest } from "../../shared/tool-names.ts"
import { decodeAnnotation } from "../citations.ts"
import { DIALECT } from "../identifiers.ts"
import { CHUNK_BREAK, reasoningText } from "../reasoning.ts"
import { checkImages, checkToolCalls } from "../../shared/choices.ts"
import { decodeImageItem } from "../media.ts"
import { argumentsOf, callIdOf } from "../result/decode.ts"
import { type OpenItem, type ReasoningPlace, sectionOf, unsent } from "./open-item.ts"
import { originOfCall } from "../tools/decode.ts"
import { decodeSearch } from "../search.ts"
import { TEXT_CLOSING, TEXT_OPENING, writeText } from "../../shared/text-tool.ts"

/** Types of items for which the canon has events. */
const KNOWN_ITEMS: ReadonlySet<string> = new Set([
  "message",
  "function_call",
  "custom_tool_call",
  "reasoning",
])
const CALLS: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"])
/** Members that identify an item or state its status. */
const ITEM_HEAD: ReadonlySet<string> = new Set([
  "id",
  "type",
  "status",
  "call_id",
  "container_id",
  "size",
  "quality",
  "background",
  "output_format",
])

function contentOf(item: JsonObject): JsonObject | undefined {
  return unknownFields(item, ITEM_HEAD)
}

/** All events belong to the only choice of this dialect. */
const CHOICE = { choice: 0 } as const

/**
 * The items of one streamed output. Their content is passed on as it arrives. Parts that a vendor omits from the stream
 * are sent when the item is done, or else when the response is done (docs/contribute/wire/openai-responses.md#f6).
 * Items are identified by position, because one vendor changes their ids from event to event (recorded).
 */
export class OpenItems {
  readonly #items = new Map<number, OpenItem>()
  readonly #doneIds = new Set<unknown>()
  /** Characters of text since the last other event, which is the length of the canon's text part so far. */
  #textRun = 0
  #calls = 0
  #imageCount = 0
  readonly #other: OtherContent
  readonly #tools: readonly Tool[] | undefined

  /**
   * @param other collects content that no event contains.
   * @param tools the tools of the request, which identify calls by name.
   */
  constructor(other: OtherContent, tools?: readonly Tool[]) {
    this.#other = other
    this.#tools = tools
  }

  get hasCalls(): boolean {
    return this.#calls > 0
  }

  /**
   * Returns the item at a position, and creates it if necessary.
   * @param type the type for an item that was never announced.
   */
  itemAt(index: number, type: string): OpenItem {
    let item = this.#items.get(index)
    if (item === undefined) {
      item = { type, sections: new Map(), call: -1, hasArguments: false, isDone: false }
      this.#items.set(index, item)
    }
    return item
  }

  /** Handles the start of an item. A call is announced as soon as its name is known. */
  announce(index: number, value: JsonObject, events: ChatEvent[]): void {
    const item = this.itemAt(index, textAt(value, "type") ?? "item")
    if (CALLS.has(item.type) && textAt(value, "name") !== undefined) {
      this.#announceCall(item, value, events)
    } else if (!KNOWN_ITEMS.has(item.type)) this.#other.wholeAt(index, contentOf(value))
    else
      for (const part of [...listAt(value, "content"), ...listAt(value, "summary")]) this.open(part)
  }

  /**
   * Counts the text of a part that is already present when the part is announced. The caller has received this text.
   */
  open(part: JsonValue | undefined): void {
    if (isJsonObject(part)) this.#other.text(textAt(part, "text") ?? "")
  }

  text(item: OpenItem, content: number, delta: string, events: ChatEvent[]): void {
    const section = sectionOf(item, content)
    section.start ??= this.#textRun
    section.sent += delta
    this.#textRun += delta.length
    events.push({ type: "text-delta", ...CHOICE, text: delta })
  }

  refusal(item: OpenItem, content: number, delta: string, events: ChatEvent[]): void {
    sectionOf(item, content).sent += delta
    this.#textRun = 0
    events.push({ type: "refusal-delta", ...CHOICE, text: delta })
  }

  /**
   * Handles a chunk of reasoning. Chunks of one item become paragraphs of one text. If an item has both a summary and
   * content, only the first is used.
   */
  reasoning(
    item: OpenItem,
    { kind, index }: ReasoningPlace,
    delta: string,
    events: ChatEvent[],
  ): void {
    item.reasoning ??= kind
    if (item.reasoning !== kind) return
    const section = sectionOf(item, index)
    const text = section.sent === "" && item.sections.size > 1 ? CHUNK_BREAK + delta : delta
    section.sent += delta
    this.#textRun = 0
    events.push({ type: "reasoning-delta", ...CHOICE, text })
  }

  citation(item: OpenItem, content: number, annotation: JsonObject, events: ChatEvent[]): void {
    const section = sectionOf(item, content)
    section.citations++
    const citation = decodeAnnotation(annotation, section.start ?? this.#textRun)
    events.push({ type: "citation", ...CHOICE, citation })
  }

  writeArguments(item: OpenItem, delta: string, events: ChatEvent[]): void {
    // If the call is unknown, its arguments are only counted, because a caller of this dialect has received them.
    if (item.call < 0) return this.#other.text(delta)
    item.hasArguments = true
    events.push({ type: "tool-call-delta", ...CHOICE, call: item.call, arguments: delta })
  }

  /** Handles a chunk of text for a custom tool. */
  writeInput(item: OpenItem, delta: string, events: ChatEvent[]): void {
    const opening = item.call < 0 || item.hasArguments ? "" : TEXT_OPENING
    this.writeArguments(item, opening + (item.call < 0 ? delta : writeText(delta)), events)
  }

  /** Handles the complete output. Items are also matched by id, since a vendor may omit some items. */
  end(output: readonly JsonValue[], events: ChatEvent[]): void {
    for (const [index, value] of output.entries()) {
      if (isJsonObject(value) && !this.#doneIds.has(value.id)) this.done(index, value, events)
    }
  }

  /** Handles the final state of an item. */
  done(index: number, value: JsonObject, events: ChatEvent[]): void {
    const item = this.itemAt(index, textAt(value, "type") ?? "item")
    if (item.isDone) return
    item.isDone = true
    if (value.id !== undefined) this.#doneIds.add(value.id)
    switch (item.type) {
      case "message":
        this.#messageDone(item, listAt(value, "content").filter(isJsonObject), events)
        break
      case "function_call":
      case "custom_tool_call":
        this.#announceCall(item, value, events)
        if (item.hasArguments && item.type === "custom_tool_call") {
          this.writeArguments(item, TEXT_CLOSING, events)
        } else if (!item.hasArguments) {
          const written = argumentsOf(value)
          if (written !== "") this.writeArguments(item, written, events)
        }
        break
      case "reasoning":
        this.#reasoningDone(item, value, events)
        break
      default: {
        this.#textRun = 0
        this.#other.wholeAt(index, contentOf(value))
        const image = decodeImageItem(value)
        if (image !== undefined) {
          checkImages(++this.#imageCount)
          events.push({ type: "media", ...CHOICE, media: image })
          break
        }
        events.push({
          type: "choice-extra",
          ...CHOICE,
          extra: extraOf(DIALECT, { output: [value] }),
        })
        const search = decodeSearch(value)
        if (search !== undefined) events.push({ type: "web-search", ...CHOICE, search })
      }
    }
  }

  /** Sends the part of a message section that was not sent yet. */
  contentDone(item: OpenItem, content: number, part: JsonObject, events: ChatEvent[]): void {
    const section = sectionOf(item, content)
    const refusal = unsent(section, textAt(part, "refusal"))
    const text = unsent(section, textAt(part, "text"))
    if (refusal !== "") this.refusal(item, content, refusal, events)
    if (text !== "") this.text(item, content, text, events)
    for (const annotation of listAt(part, "annotations").slice(section.citations)) {
      if (isJsonObject(annotation)) this.citation(item, content, annotation, events)
    }
    const logprobs = [...listAt(part, "logprobs")]
    if (section.hasLogprobs || logprobs.length === 0) return
    section.hasLogprobs = true
    events.push({ type: "choice-extra", ...CHOICE, extra: extraOf(DIALECT, { logprobs }) })
  }

  /**
   * Sends the parts of a message that were not sent yet. Only the order of the parts is used, because one vendor
   * numbers the parts of a stream from 1 (recorded).
   */
  #messageDone(item: OpenItem, parts: readonly JsonObject[], events: ChatEvent[]): void {
    const indexes = [...item.sections.keys()]
    const isNumberedAlike = indexes.every((index) => index < parts.length)
    for (const [position, part] of parts.entries()) {
      const index = isNumberedAlike ? position : (indexes[position] ?? -1 - position)
      this.contentDone(item, index, part, events)
    }
  }

  #announceCall(item: OpenItem, value: JsonObject, events: ChatEvent[]): void {
    if (item.call >= 0) return
    item.call = this.#calls++
    checkToolCalls(this.#calls)
    this.#textRun = 0
    const id = callIdOf(value)
    const { call } = item
    const origin = originOfCall(value)
    if (origin === undefined) {
      const name = textAt(value, "name") ?? ""
      events.push({ type: "tool-call-start", ...CHOICE, call, id, name })
    } else {
      const name = nameInRequest(this.#tools, origin)
      events.push({ type: "tool-call-start", ...CHOICE, call, id, name, origin })
    }
  }

  #reasoningDone(item: OpenItem, value: JsonObject, events: ChatEvent[]): void {
    const text = reasoningText(value)
    const kind = listAt(value, "content").length > 0 ? "content" : "summary"
    if (item.reasoning === undefined && text !== "")
      this.reasoning(item, { kind, index: 0 }, text, events)
    const signature = textAt(value, "encrypted_content")
    if (signature === undefined) return
    // A summary is shorter than the actual reasoning, and the vendor bills the actual reasoning.
    if (item.reasoning !== "content") this.#other.text(signature.slice(text.length))
    this.#textRun = 0
    const id = textAt(value, "id")
    const named = id === undefined ? {} : { id }
    const signed = { signature, signedBy: DIALECT, ...named } as const
    events.push({ type: "reasoning-signature", ...CHOICE, ...signed })
  }
}
