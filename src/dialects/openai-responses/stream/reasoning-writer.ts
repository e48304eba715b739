import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { reasoningItem, summaryText } from "../result/output-items.ts"
import type { FrameWriter } from "./frame-writer.ts"
import { type ItemPlace, ItemWriter } from "./item-writers.ts"

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
