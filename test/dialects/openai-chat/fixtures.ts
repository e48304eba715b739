import { existsSync, readFileSync } from "node:fs"
import { createParser } from "eventsource-parser"
import type { SseFrame } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"

/** Recorded traffic of real vendors, beside the repository; it is read and never needed. */
const ROOT = new URL("../../../../shared/fixtures/", import.meta.url)

export const HAS_FIXTURES = existsSync(new URL("index.jsonl", ROOT))

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

export function readFixture(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8")
}

/** All recorded calls of a chat completions address, whichever the vendor. */
export function chatRecordings(): Recording[] {
  if (!HAS_FIXTURES) return []
  const recordings: Recording[] = []
  for (const line of readFixture("index.jsonl").split("\n")) {
    if (line === "") continue
    const entry = JSON.parse(line)
    if (!entry.url?.includes("chat/completions") || !entry.file.startsWith("recorded/")) continue
    const { request, response } = JSON.parse(readFixture(entry.file))
    recordings.push({
      file: entry.file,
      vendor: entry.dialect,
      status: entry.status,
      request: request.body?.json,
      answer: response.body?.json ?? response.body?.text,
      isCut: entry.truncated_strings > 0,
    })
  }
  return recordings
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
