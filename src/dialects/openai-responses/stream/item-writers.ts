import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { approximateLength } from "../../../canon/sliced-json-text.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { IMAGE_CALL } from "../media.ts"
import { type ItemStatus, reasoningItem, summaryText } from "../result/output-items.ts"
import { SEARCH_CALL, searchItem, stagesOf } from "../search.ts"
import type { FrameWriter } from "./frame-writer.ts"

/** The position of an item in the output, and the id of the item. */
export interface ItemPlace {
  readonly id: string
  readonly index: number
}

/**
 * Writes an output item of a stream: the events from `output_item.added` to `output_item.done`, in OpenAI's order
 * (docs/contribute/wire/openai-responses.md#f6). It also returns the item as written so far.
 */
export abstract class ItemWriter {
  protected readonly writer: FrameWriter
  protected readonly id: string
  /** The members `"item_id":...,"output_index":...`, which every event of the item has, as JSON text. */
  protected readonly place: string
  /** The members of `place` as an object. */
  protected readonly placed: JsonObject
  /** The status of the item. An item that is never closed stays incomplete. */
  protected status: ItemStatus = "incomplete"
  readonly #index: number
  #isOpen = true

  constructor(writer: FrameWriter, { id, index }: ItemPlace) {
    this.writer = writer
    this.id = id
    this.placed = { item_id: id, output_index: index }
    this.place = JSON.stringify(this.placed).slice(1, -1)
    this.#index = index
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The item as written so far. */
  abstract get item(): JsonObject

  /** Approximate characters of the response in the item. */
  get length(): number {
    return approximateLength(this.item)
  }

  close(status: ItemStatus, frames: SseFrame[]): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.status = status
    this.finish(frames)
    const members = { output_index: this.#index, item: this.item }
    frames.push(this.writer.long("response.output_item.done", members, this.length))
  }

  protected open(empty: JsonObject, frames: SseFrame[]): void {
    const members = `"output_index":${this.#index},"item":${JSON.stringify(empty)}`
    frames.push(this.writer.frame("response.output_item.added", members))
  }

  /** Writes the events before the end of the item. */
  protected abstract finish(frames: SseFrame[]): void
}

/** Writes an item of this dialect that arrives as a whole. */
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

/** Writes a search by another vendor, which has ended when it is reported. */
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

/** The stages of an image that is being generated. */
const IMAGE_STAGES = ["in_progress", "generating", "completed"] as const

/** Writes an image that a model of another dialect generated, which arrives as a whole. */
export class ImageWriter extends ItemWriter {
  readonly item: JsonObject

  /** @param item the item without its id. */
  constructor(writer: FrameWriter, place: ItemPlace, item: JsonObject, frames: SseFrame[]) {
    super(writer, place)
    this.item = { ...item, id: place.id }
    this.open({ ...this.item, status: "in_progress", result: null }, frames)
    for (const stage of IMAGE_STAGES) {
      frames.push(writer.frame(`response.${IMAGE_CALL}.${stage}`, this.place))
    }
    this.close("completed", frames)
  }

  protected override finish(): void {}
}

/** Writes reasoning as a summary of one part, which clients of this dialect display. */
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

  override get length(): number {
    return this.#text.length
  }

  text(delta: string, frames: SseFrame[]): void {
    if (this.#text === "") this.#chunk("added", "", frames)
    this.#text += delta
    const members = `${this.#summaryPlace},"delta":${JSON.stringify(delta)}`
    frames.push(this.writer.frame("response.reasoning_summary_text.delta", members))
  }

  /** Ends the reasoning. Later reasoning is a separate item. */
  sign(signature: string, frames: SseFrame[]): void {
    this.#signature = signature
    this.close("completed", frames)
  }

  protected override finish(frames: SseFrame[]): void {
    if (this.#text === "") return
    const members = { ...this.placed, summary_index: 0, text: this.#text }
    frames.push(this.writer.long("response.reasoning_summary_text.done", members, this.length))
    this.#chunk("done", this.#text, frames)
  }

  #chunk(stage: "added" | "done", text: string, frames: SseFrame[]): void {
    const members = { ...this.placed, summary_index: 0, part: summaryText(text) }
    const type = `response.reasoning_summary_part.${stage}`
    frames.push(this.writer.long(type, members, text.length))
  }
}
