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
  /** The JSON of a whole answer, or the text of a stream. */
  readonly answer: JsonObject | string | undefined
  /** Whether strings were cut when the recording was gathered. */
  readonly isCut: boolean
}

/** All recorded calls of a chat completions address, of every vendor. */
export function chatRecordings(): Recording[] {
  return recordedCalls(/chat\/completions/).map((recorded) => {
    const { file, request, response } = recorded
    return {
      file,
      vendor: vendorOf(recorded),
      status: recorded.status,
      request: request.body?.json as JsonObject | undefined,
      answer: (response.body?.json ?? response.body?.text) as JsonObject | string | undefined,
      isCut: JSON.stringify(recorded).includes("…[TRUNCATED"),
    }
  })
}

/** Frames of a stream's text, fed in pieces of the given length. */
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

/** Frames with their JSON at hand, as the relay passes them on. */
export function parsedFramesOf(text: string): SseFrame[] {
  return framesOf(text).map((frame) => {
    if (!frame.data.startsWith("{")) return frame
    return { ...frame, json: JSON.parse(frame.data) }
  })
}
