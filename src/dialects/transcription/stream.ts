import { isJsonObject, objectAt, parseJsonObject } from "../../canon/json.ts"
import type { Transcript } from "../../canon/transcription.ts"
import type { FrameMemory } from "../../wire/frames.ts"
import { SseParser } from "../../wire/sse.ts"
import { reportedFailure } from "../shared/errors.ts"
import { readEvents } from "../shared/events.ts"
import { usageOf } from "./formats/openai.ts"

/** Reads OpenAI's transcript events while they pass through (docs/contribute/wire/transcription.md#f4). */
export class TranscriptEventReader implements Pick<Transcript, "text" | "usage"> {
  /** The text so far. */
  text = ""
  usage: Transcript["usage"] = {}
  /** Whether the last event has arrived. */
  isOver = false
  readonly #parser: SseParser

  constructor(memory?: FrameMemory) {
    this.#parser = new SseParser({ memory })
  }

  /**
   * Reads the events that the bytes complete.
   * @throws GatewayError if the vendor reports a failure, or sends an event that is too long.
   */
  push(bytes: Uint8Array): void {
    for (const { data } of readEvents(this.#parser, bytes)) this.#read(data)
  }

  #read(data: string): void {
    const event = parseJsonObject(data)
    if (!event) return
    if (isJsonObject(event.error)) throw reportedFailure(event.error)
    if (event.type === "transcript.text.delta" && typeof event.delta === "string") {
      this.text += event.delta
    }
    if (event.type !== "transcript.text.done") return
    this.isOver = true
    if (typeof event.text === "string") this.text = event.text
    this.usage = usageOf(objectAt(event, "usage"))
  }
}
