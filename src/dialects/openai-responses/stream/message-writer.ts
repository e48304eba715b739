import type { SseFrame } from "../../../canon/dialect.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import { encodeAnnotation } from "../citations.ts"
import { messageItem, refusalContent, textContent } from "../result/output-items.ts"
import type { FrameWriter } from "./frame-writer.ts"
import { type ItemPlace, ItemWriter } from "./item-writers.ts"

/** A chunk of a message: text with its sources, or a refusal. */
interface OpenContent {
  readonly type: "output_text" | "refusal"
  readonly place: string
  readonly annotations: JsonObject[]
  readonly logprobs: JsonValue[]
  text: string
}

/** Writes a message: its texts and refusals, one content after another. */
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

  /** A source of the text before it; dropped without text, or without an address. */
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
