import type { CallOrigin, Citation } from "../../../canon/message.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import { textArguments, TextReader } from "../../shared/text-tool.ts"
import { encodeAnnotation } from "../citations.ts"
import { SEARCH_CALL, searchItem, stagesOf } from "../search/steps.ts"
import type { FrameWriter } from "./frame-writer.ts"
import {
  callItem,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalContent,
  summaryText,
  textContent,
} from "../result/output-items.ts"

/** Which item of the output it is. */
export interface ItemPlace {
  readonly id: string
  readonly index: number
}

/**
 * An item of the output while it is streamed: each writes the events from `output_item.added` to
 * `output_item.done` in OpenAI's order (WIRE.md 4), and knows the item as far as it was written.
 */
export abstract class ItemWriter {
  protected readonly writer: FrameWriter
  protected readonly id: string
  /** `"item_id":...,"output_index":...`, which every event of the item carries. */
  protected readonly place: string
  /** An item that is never closed is one that broke off. */
  protected status: ItemStatus = "incomplete"
  readonly #index: number
  #isOpen = true

  constructor(writer: FrameWriter, { id, index }: ItemPlace) {
    this.writer = writer
    this.id = id
    this.place = `"item_id":${JSON.stringify(id)},"output_index":${index}`
    this.#index = index
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The item as far as it was written. */
  abstract get item(): JsonObject

  close(status: ItemStatus, frames: SseFrame[]): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.status = status
    this.finish(frames)
    frames.push(this.#itemFrame("response.output_item.done", this.item))
  }

  protected open(empty: JsonObject, frames: SseFrame[]): void {
    frames.push(this.#itemFrame("response.output_item.added", empty))
  }

  /** What is to be said before the item is done. */
  protected abstract finish(frames: SseFrame[]): void

  #itemFrame(type: string, item: JsonObject): SseFrame {
    return this.writer.frame(type, `"output_index":${this.#index},"item":${JSON.stringify(item)}`)
  }
}

/** A piece of a message: text with its sources, or a refusal. */
interface OpenContent {
  readonly type: "output_text" | "refusal"
  readonly place: string
  readonly annotations: JsonObject[]
  readonly logprobs: JsonValue[]
  text: string
}

export class MessageWriter extends ItemWriter {
  readonly #content: JsonObject[] = []
  #current: OpenContent | undefined

  constructor(writer: FrameWriter, place: ItemPlace, frames: SseFrame[]) {
    super(writer, place)
    this.open(messageItem(this.id, "in_progress", []), frames)
  }

  get item(): JsonObject {
    const content = this.#current === undefined ? [] : [contentOf(this.#current)]
    return messageItem(this.id, this.status, [...this.#content, ...content])
  }

  text(delta: string, frames: SseFrame[]): void {
    const { place } = this.#write("output_text", delta, frames)
    const members = `${place},"delta":${JSON.stringify(delta)},"logprobs":[]`
    frames.push(this.writer.frame("response.output_text.delta", members))
  }

  refusal(delta: string, frames: SseFrame[]): void {
    const { place } = this.#write("refusal", delta, frames)
    const members = `${place},"delta":${JSON.stringify(delta)}`
    frames.push(this.writer.frame("response.refusal.delta", members))
  }

  /** A source of the text before it; without text, or without an address, it has no place here. */
  citation(citation: Citation, frames: SseFrame[]): void {
    const current = this.#current
    if (current?.type !== "output_text") return
    const annotation = encodeAnnotation(citation, current.text.length)
    if (annotation === undefined) return
    const index = current.annotations.push(annotation) - 1
    const members = `"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`
    const type = "response.output_text.annotation.added"
    frames.push(this.writer.frame(type, `${current.place},${members}`))
  }

  logprobs(logprobs: readonly JsonValue[]): void {
    this.#current?.logprobs.push(...logprobs)
  }

  protected override finish(frames: SseFrame[]): void {
    const current = this.#current
    if (current === undefined) return
    const { place, text, type, logprobs } = current
    const written = JSON.stringify(text)
    const members =
      type === "refusal"
        ? `${place},"refusal":${written}`
        : `${place},"text":${written},"logprobs":${JSON.stringify(logprobs)}`
    frames.push(this.writer.frame(`response.${type}.done`, members))
    const content = contentOf(current)
    const part = `${place},"part":${JSON.stringify(content)}`
    frames.push(this.writer.frame("response.content_part.done", part))
    this.#content.push(content)
    this.#current = undefined
  }

  #write(type: OpenContent["type"], delta: string, frames: SseFrame[]): OpenContent {
    if (this.#current?.type !== type) {
      this.finish(frames)
      this.#current = this.#begin(type, frames)
    }
    this.#current.text += delta
    return this.#current
  }

  #begin(type: OpenContent["type"], frames: SseFrame[]): OpenContent {
    const place = `${this.place},"content_index":${this.#content.length}`
    const content: OpenContent = { type, place, annotations: [], logprobs: [], text: "" }
    const part = `${place},"part":${JSON.stringify(contentOf(content))}`
    frames.push(this.writer.frame("response.content_part.added", part))
    return content
  }
}

function contentOf({ type, text, annotations, logprobs }: OpenContent): JsonObject {
  return type === "refusal" ? refusalContent(text) : textContent(text, annotations, logprobs)
}

/** Reasoning is told as a summary of one piece, which is what clients of this dialect show. */
export class ReasoningWriter extends ItemWriter {
  readonly #summaryPlace: string
  #text = ""
  #signature: string | undefined

  constructor(writer: FrameWriter, place: ItemPlace, frames: SseFrame[]) {
    super(writer, place)
    this.#summaryPlace = `${this.place},"summary_index":0`
    this.open(reasoningItem(this.id, { text: "" }), frames)
  }

  get item(): JsonObject {
    const signature = this.#signature
    return reasoningItem(this.id, {
      text: this.#text,
      ...(signature === undefined ? {} : { signature }),
    })
  }

  text(delta: string, frames: SseFrame[]): void {
    if (this.#text === "") this.#piece("added", "", frames)
    this.#text += delta
    const members = `${this.#summaryPlace},"delta":${JSON.stringify(delta)}`
    frames.push(this.writer.frame("response.reasoning_summary_text.delta", members))
  }

  /** Ends the reasoning: what follows is another. */
  sign(signature: string, frames: SseFrame[]): void {
    this.#signature = signature
    this.close("completed", frames)
  }

  protected override finish(frames: SseFrame[]): void {
    if (this.#text === "") return
    const members = `${this.#summaryPlace},"text":${JSON.stringify(this.#text)}`
    frames.push(this.writer.frame("response.reasoning_summary_text.done", members))
    this.#piece("done", this.#text, frames)
  }

  #piece(stage: "added" | "done", text: string, frames: SseFrame[]): void {
    const part = JSON.stringify(summaryText(text))
    const type = `response.reasoning_summary_part.${stage}`
    frames.push(this.writer.frame(type, `${this.#summaryPlace},"part":${part}`))
  }
}

export interface CallNames {
  readonly id: string
  readonly name: string
  /** What the call stands for, where that is no plain function. */
  readonly origin?: CallOrigin | undefined
}

/** A call while it is streamed. */
export type OpenCallWriter = ItemWriter & { write(delta: string, frames: SseFrame[]): void }

/** Several calls may be open at once: each has an item of its own. */
export class CallWriter extends ItemWriter {
  readonly #call: CallNames
  #arguments = ""

  constructor(writer: FrameWriter, place: ItemPlace, call: CallNames, frames: SseFrame[]) {
    super(writer, place)
    this.#call = call
    this.open(callItem(this.id, "in_progress", { ...call, arguments: "" }, call.origin), frames)
  }

  get item(): JsonObject {
    const call = { ...this.#call, arguments: this.#arguments }
    return callItem(this.id, this.status, call, call.origin)
  }

  write(delta: string, frames: SseFrame[]): void {
    if (delta === "") return
    this.#arguments += delta
    const members = `${this.place},"delta":${JSON.stringify(delta)}`
    frames.push(this.writer.frame("response.function_call_arguments.delta", members))
  }

  protected override finish(frames: SseFrame[]): void {
    // A tool without arguments is called with an empty object, never with nothing (trap 7).
    if (this.#arguments === "") this.write("{}", frames)
    const name = JSON.stringify(this.#call.origin?.name ?? this.#call.name)
    const members = `${this.place},"name":${name},"arguments":${JSON.stringify(this.#arguments)}`
    frames.push(this.writer.frame("response.function_call_arguments.done", members))
  }
}

/** A call of a tool that takes text: told as the text that the arguments hold. */
export class CustomCallWriter extends ItemWriter {
  readonly #call: CallNames
  readonly #reader = new TextReader()
  #text = ""

  constructor(writer: FrameWriter, place: ItemPlace, call: CallNames, frames: SseFrame[]) {
    super(writer, place)
    this.#call = call
    this.open(this.#itemOf("in_progress"), frames)
  }

  get item(): JsonObject {
    return this.#itemOf(this.status)
  }

  write(delta: string, frames: SseFrame[]): void {
    this.#tell(this.#reader.push(delta), frames)
  }

  protected override finish(frames: SseFrame[]): void {
    this.#tell(this.#reader.end(), frames)
    const members = `${this.place},"input":${JSON.stringify(this.#text)}`
    frames.push(this.writer.frame("response.custom_tool_call_input.done", members))
  }

  #itemOf(status: ItemStatus): JsonObject {
    const call = { ...this.#call, arguments: textArguments(this.#text) }
    return callItem(this.id, status, call, call.origin)
  }

  #tell(text: string, frames: SseFrame[]): void {
    if (text === "") return
    this.#text += text
    const members = `${this.place},"delta":${JSON.stringify(text)}`
    frames.push(this.writer.frame("response.custom_tool_call_input.delta", members))
  }
}

/** An item of this dialect that comes whole. */
export class WholeItemWriter extends ItemWriter {
  readonly item: JsonObject

  constructor(writer: FrameWriter, place: ItemPlace, item: JsonObject, frames: SseFrame[]) {
    super(writer, place)
    this.item = { ...item, id: place.id }
    this.open(this.item, frames)
    this.close("completed", frames)
  }

  protected override finish(): void {}
}

/** A search that another vendor ran: it is over when it is told. */
export class SearchWriter extends ItemWriter {
  readonly item: JsonObject

  constructor(writer: FrameWriter, place: ItemPlace, search: WebSearchPart, frames: SseFrame[]) {
    super(writer, place)
    this.item = searchItem(this.id, search)
    this.open({ id: this.id, type: SEARCH_CALL, status: "in_progress" }, frames)
    for (const stage of stagesOf(search)) {
      frames.push(writer.frame(`response.${SEARCH_CALL}.${stage}`, this.place))
    }
    this.close("completed", frames)
  }

  protected override finish(): void {}
}
