import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { approximateLength } from "../../../canon/sliced-json-text.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { IMAGE_CALL } from "../media.ts"
import type { ItemStatus } from "../result/output-items.ts"
import { SEARCH_CALL, searchItem, stagesOf } from "../search/steps.ts"
import type { FrameWriter } from "./frame-writer.ts"

/** The item's position in the output, and its id. */
export interface ItemPlace {
  readonly id: string
  readonly index: number
}

/**
 * An output item as it is streamed: each writes the events from `output_item.added` to `output_item.done` in
 * OpenAI's order (docs/contribute/wire/openai-responses.md#f6), and has the item as far as it was written.
 */
export abstract class ItemWriter {
  protected readonly writer: FrameWriter
  protected readonly id: string
  /** `"item_id":...,"output_index":...`, which every event of the item has. */
  protected readonly place: string
  /** `place` as an object. */
  protected readonly placed: JsonObject
  /** An item that is never closed broke off. */
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

  /** The item so far. */
  abstract get item(): JsonObject

  /** Approximate characters of the answer in the item. */
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

/** An item of this dialect that arrives whole. */
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

/** A search by another vendor: it is over when it is reported. */
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

/** The stages of an image that is being made. */
const IMAGE_STAGES = ["in_progress", "generating", "completed"] as const

/** An image that a model of another dialect made: it is whole when it arrives. */
export class ImageWriter extends ItemWriter {
  readonly item: JsonObject

  /** @param item without its id. */
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
