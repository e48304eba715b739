import { objectOf, type ReadEvent } from "../shared/read-event.ts"
import { isJsonObject, type JsonObject, objectAt } from "../../canon/json.ts"
import type { Transcript } from "../../canon/transcription.ts"
import { unusable } from "../../canon/operation-response.ts"
import { reportedFailure } from "../shared/errors.ts"
import { sentEvent, type SentBytes } from "../shared/stream.ts"
import { withoutAllCosts } from "../shared/vendor-costs.ts"
import { usageOf } from "./formats/openai.ts"

/** Maximum characters of a transcript. A day of speech has about a million. */
const MAX_TEXT_LENGTH = 16 * 1024 * 1024

/** Reads OpenAI's transcript events while they pass through (docs/contribute/wire/transcription.md#f4). */
export class TranscriptEventReader implements Pick<Transcript, "text" | "usage"> {
  /** The text so far. */
  text = ""
  usage: Transcript["usage"] = {}
  /** The last event, withheld until the request is charged. */
  last: SentBytes | undefined

  /** Whether the last event has arrived. */
  get isOver(): boolean {
    return this.last !== undefined
  }

  /**
   * Returns an event for the caller; undefined for the last event.
   * @throws GatewayError if the vendor reports a failure, or sends too much text.
   */
  read(event: ReadEvent): SentBytes | undefined {
    const json = objectOf(event)
    const passed = passedOn(event, json)
    if (!json) return passed
    if (isJsonObject(json.error)) throw reportedFailure(json.error)
    if (json.type === "transcript.text.delta" && typeof json.delta === "string") {
      this.text += json.delta
      if (this.text.length > MAX_TEXT_LENGTH) throw unusable("its text is too long")
    }
    if (json.type !== "transcript.text.done") return passed
    this.last = passed ?? new Uint8Array()
    if (typeof json.text === "string") this.text = json.text
    this.usage = usageOf(objectAt(json, "usage"))
    return undefined
  }
}

function passedOn(event: ReadEvent, json: JsonObject | undefined): SentBytes | undefined {
  const hasLines = event.data.includes("\n")
  // Text in several lines that is not JSON is not one of the documented events.
  if (json === undefined) return hasLines ? undefined : sentEvent(event)
  const shown = withoutAllCosts(json)
  return sentEvent(event, shown === json && !hasLines ? undefined : shown)
}
