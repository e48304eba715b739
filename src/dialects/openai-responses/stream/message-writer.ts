import type { SseFrame } from "../../../canon/dialect.ts"
import { JoinedBase64 } from "../../../canon/audio-pieces.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { AudioPart, Citation } from "../../../canon/message.ts"
import { approximateLength } from "../../../canon/sliced-json-text.ts"
import { encodeAnnotation } from "../citations.ts"
import { audioContent, audioData } from "../media.ts"
import { messageItem, refusalContent, textContent } from "../result/output-items.ts"
import type { FrameWriter } from "./frame-writer.ts"
import { type ItemPlace, ItemWriter } from "./item-writers.ts"

/** A content part of a message: text with its sources, a refusal, or audio. */
interface OpenContent {
  readonly type: "output_text" | "refusal" | "output_audio"
  readonly place: string
  readonly index: number
  readonly annotations: JsonObject[]
  readonly logprobs: JsonValue[]
  /** The text so far; for audio, its transcript. */
  text: string
  /** The data of audio; undefined for other content. */
  data: JoinedBase64 | undefined
}

/** Writes a message: its texts, refusals and audio, one content part at a time. */
export class MessageWriter extends ItemWriter {
  readonly #content: JsonObject[] = []
  #current: OpenContent | undefined
  #length = 0

  constructor(writer: FrameWriter, place: ItemPlace, frames: SseFrame[]) {
    super(writer, place)
    this.open(messageItem(this.id, "in_progress", []), frames)
  }

  get item(): JsonObject {
    const content = this.#current === undefined ? [] : [contentOf(this.#current)]
    return messageItem(this.id, this.status, [...this.#content, ...content])
  }

  override get length(): number {
    return this.#length
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

  /** Adds a piece of audio: its data, and its words if they are known. */
  audio(part: AudioPart, frames: SseFrame[]): void {
    const { transcript = "" } = part
    const open = this.#write("output_audio", transcript, frames)
    const data = audioPiece(part, open.data === undefined)
    if (transcript !== "") {
      const members = `${this.place},"delta":${JSON.stringify(transcript)}`
      frames.push(this.writer.frame("response.audio.transcript.delta", members))
    }
    if (data === "") return
    open.data ??= new JoinedBase64()
    open.data.add(data)
    this.#length += data.length
    frames.push(this.writer.frame("response.audio.delta", `${this.place},"delta":"${data}"`))
  }

  /** Adds a source of the preceding text. Without such a text or an address, the source is dropped. */
  citation(citation: Citation, frames: SseFrame[]): void {
    const current = this.#current
    if (current?.type !== "output_text") return
    const annotation = encodeAnnotation(citation, current.text.length)
    if (annotation === undefined) return
    const index = current.annotations.push(annotation) - 1
    const members = `"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`
    this.#length += members.length
    const type = "response.output_text.annotation.added"
    frames.push(this.writer.frame(type, `${current.place},${members}`))
  }

  logprobs(logprobs: readonly JsonValue[]): void {
    if (this.#current === undefined) return
    for (const token of logprobs) {
      this.#current.logprobs.push(token)
      this.#length += approximateLength(token)
    }
  }

  protected override finish(frames: SseFrame[]): void {
    const current = this.#current
    if (current === undefined) return
    const placed = { ...this.placed, content_index: current.index }
    if (current.type === "output_audio") this.#finishAudio(current, frames)
    else this.#finishWords(current, placed, frames)
    const content = contentOf(current)
    const members = { ...placed, part: content }
    frames.push(this.writer.long("response.content_part.done", members, this.#length))
    this.#content.push(content)
    this.#current = undefined
  }

  #finishWords(
    { text, type, logprobs }: OpenContent,
    placed: JsonObject,
    frames: SseFrame[],
  ): void {
    const words = type === "refusal" ? { refusal: text } : { text, logprobs }
    const members = { ...placed, ...words }
    frames.push(this.writer.long(`response.${type}.done`, members, this.#length))
  }

  #finishAudio({ text }: OpenContent, frames: SseFrame[]): void {
    if (text !== "") frames.push(this.writer.frame("response.audio.transcript.done", this.place))
    frames.push(this.writer.frame("response.audio.done", this.place))
  }

  #write(type: OpenContent["type"], delta: string, frames: SseFrame[]): OpenContent {
    if (this.#current?.type !== type) {
      this.finish(frames)
      this.#current = this.#begin(type, frames)
    }
    this.#current.text += delta
    this.#length += delta.length
    return this.#current
  }

  #begin(type: OpenContent["type"], frames: SseFrame[]): OpenContent {
    const index = this.#content.length
    const place = `${this.place},"content_index":${index}`
    const content: OpenContent = {
      type,
      place,
      index,
      annotations: [],
      logprobs: [],
      text: "",
      data: undefined,
    }
    const part = `${place},"part":${JSON.stringify(contentOf(content))}`
    frames.push(this.writer.frame("response.content_part.added", part))
    return content
  }
}

function contentOf({ type, text, annotations, logprobs, data }: OpenContent): JsonObject {
  if (type === "output_audio") return audioContent(data?.text ?? "", text)
  return type === "refusal" ? refusalContent(text) : textContent(text, annotations, logprobs)
}

/** Returns the data of a piece of audio. Only the first piece of samples has the header of a WAV file. */
function audioPiece(part: AudioPart, isFirst: boolean): string {
  if (isFirst) return audioData(part, false)
  return part.source.type === "base64" ? part.source.data : ""
}
