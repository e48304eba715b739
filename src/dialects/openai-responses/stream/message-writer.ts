import type { SseFrame } from "../../../canon/dialect.ts"
import { JoinedBase64 } from "../../../canon/audio-pieces.ts"
import type { JsonObject, JsonValue } from "../../../canon/json.ts"
import type { AudioPart, Citation } from "../../../canon/message.ts"
import { encodeAnnotation } from "../citations.ts"
import { audioContent, audioData } from "../media.ts"
import { messageItem, refusalContent, textContent } from "../result/output-items.ts"
import type { FrameWriter } from "./frame-writer.ts"
import { type ItemPlace, ItemWriter } from "./item-writers.ts"

/** A chunk of a message: text with its sources, or a refusal. */
interface OpenContent {
  readonly type: "output_text" | "refusal" | "output_audio"
  readonly place: string
  readonly annotations: JsonObject[]
  readonly logprobs: JsonValue[]
  /** For audio, its transcript. */
  text: string
  /** For audio, its data. */
  data: JoinedBase64 | undefined
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

  /** A piece of audio: its data, and its words if they are known. */
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
    frames.push(this.writer.frame("response.audio.delta", `${this.place},"delta":"${data}"`))
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
    const { place } = current
    if (current.type === "output_audio") this.#finishAudio(current, frames)
    else this.#finishWords(current, frames)
    const content = contentOf(current)
    const part = `${place},"part":${JSON.stringify(content)}`
    frames.push(this.writer.frame("response.content_part.done", part))
    this.#content.push(content)
    this.#current = undefined
  }

  #finishWords({ place, text, type, logprobs }: OpenContent, frames: SseFrame[]): void {
    const written = JSON.stringify(text)
    const members =
      type === "refusal"
        ? `${place},"refusal":${written}`
        : `${place},"text":${written},"logprobs":${JSON.stringify(logprobs)}`
    frames.push(this.writer.frame(`response.${type}.done`, members))
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
    return this.#current
  }

  #begin(type: OpenContent["type"], frames: SseFrame[]): OpenContent {
    const place = `${this.place},"content_index":${this.#content.length}`
    const content: OpenContent = {
      type,
      place,
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

/** Only the first piece of samples has the header of a WAV file. */
function audioPiece(part: AudioPart, isFirst: boolean): string {
  if (isFirst) return audioData(part, false)
  return part.source.type === "base64" ? part.source.data : ""
}
