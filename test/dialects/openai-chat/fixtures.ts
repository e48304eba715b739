import { createParser } from "eventsource-parser"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { recordedCalls, vendorOf } from "../../support/recordings.ts"

export { HAS_FIXTURES, readFixture } from "../../support/recordings.ts"

export interface Recording {
  readonly file: string
  readonly vendor: string
  readonly status: number
  readonly request: JsonObject | undefined
  /** The JSON of a response that is not streamed, or the text of a stream. */
  readonly response: JsonObject | string | undefined
  /** Whether strings were shortened when the recording was made. */
  readonly isCut: boolean
}

/** Returns all recorded calls of chat completions, of every vendor. */
export function chatRecordings(): Recording[] {
  return recordedCalls(/chat\/completions/).map((recorded) => {
    const { file, request, response } = recorded
    return {
      file,
      vendor: vendorOf(recorded),
      status: recorded.status,
      request: request.body?.json as JsonObject | undefined,
      response: (response.body?.json ?? response.body?.text) as JsonObject | string | undefined,
      isCut: JSON.stringify(recorded).includes("…[TRUNCATED"),
    }
  })
}

/** Parses the frames of a stream's text, which arrives in chunks of the given length. */
export function framesOf(text: string, chunkLength = text.length): SseFrame[] {
  const frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  })
  for (let start = 0; start < text.length; start += chunkLength) {
    parser.feed(text.slice(start, start + chunkLength))
  }
  parser.feed("\n\n")
  return frames
}

/** Returns frames with their parsed JSON, as the relay passes them on. */
export function parsedFramesOf(text: string): SseFrame[] {
  return framesOf(text).map((frame) => {
    if (!frame.data.startsWith("{")) return frame
    return { ...frame, json: JSON.parse(frame.data) }
  })
}
