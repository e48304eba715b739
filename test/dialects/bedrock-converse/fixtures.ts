import { readdirSync } from "node:fs"
import type { ChatEvent, ChatRequest } from "../../../src/canon/chat.ts"
import type { SseFrame, UpstreamDialect } from "../../../src/canon/dialect.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { BEDROCK_CONVERSE } from "../../../src/dialects/bedrock-converse/index.ts"
import { EventStreamParser } from "../../../src/wire/event-stream.ts"
import {
  HAS_FIXTURES,
  nameOfRecording,
  readFixture,
  recordedCalls,
} from "../../support/recordings.ts"

/** Recorded traffic of real vendors, in a folder next to the repository. */
const ROOT = new URL("../../../../shared/fixtures/", import.meta.url)

/** A model that supports the most features. */
export const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
export const NOVA = "us.amazon.nova-2-lite-v1:0"

/** Returns a minimal request with the given additions. */
export function request(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: CLAUDE,
    messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
    stream: false,
    streamUsage: false,
    choices: 1,
    ...more,
  }
}

/** Returns the encoded body of a request. */
export function bodyOf(more: Partial<ChatRequest> = {}): JsonObject {
  return BEDROCK_CONVERSE.encodeRequest(request(more)).body
}

/** Returns the losses in the form `name:effect`. */
export function lossesOf(more: Partial<ChatRequest> = {}): string[] {
  const { losses } = BEDROCK_CONVERSE.encodeRequest(request(more))
  return losses.map(({ name, effect }) => `${name}:${effect}`)
}

/** Returns a frame as it arrives from the vendor. */
export function frame(event: string, payload: JsonObject): SseFrame {
  return { event, data: JSON.stringify(payload) }
}

/** Returns all events of the given frames. */
export function decode(
  frames: readonly SseFrame[],
  asked?: ChatRequest,
  dialect: UpstreamDialect = BEDROCK_CONVERSE,
): ChatEvent[] {
  const decoder = dialect.decodeEvents(asked)
  const events = frames.flatMap((frame) => decoder.push(frame))
  return [...events, ...decoder.end()]
}

/** One recorded call of Converse. */
export interface Recording {
  readonly name: string
  /** The operation: `converse` or `converse-stream`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** The JSON of a response that is not streamed, or the bytes of a stream. */
  readonly response: JsonObject | Buffer
}

/** Returns all recorded calls. The list is empty if the folder is absent. */
export function converseRecordings(): Recording[] {
  return recordedCalls(/\/converse(-stream)?$/).map(({ file, request, response }) => {
    const { json, base64 = "" } = response.body ?? {}
    return {
      name: nameOfRecording(file),
      operation: request.url.split("/").at(-1) ?? "",
      status: response.status,
      headers: new Headers(response.headers),
      response: (json as JsonObject | undefined) ?? Buffer.from(base64, "base64"),
    }
  })
}

const CHUNKS_FOLDER = "vercel-ai/amazon-bedrock/"

/** Returns streams that were recorded as payloads, one per line. */
export function chunkRecordings(): { name: string; frames: SseFrame[] }[] {
  return filesOf(".chunks.txt").map((name) => ({
    name,
    frames: readFixture(CHUNKS_FOLDER + name)
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [[event, payload]] = Object.entries(JSON.parse(line)) as [[string, JsonObject]]
        return frame(event, payload)
      }),
  }))
}

/** Returns the responses that are not streamed from the same recordings. */
export function bodyRecordings(): { name: string; response: JsonObject }[] {
  return filesOf(".json").map((name) => ({
    name,
    response: JSON.parse(readFixture(CHUNKS_FOLDER + name)),
  }))
}

function filesOf(ending: string): string[] {
  if (!HAS_FIXTURES) return []
  return readdirSync(new URL(CHUNKS_FOLDER, ROOT)).filter((name) => name.endsWith(ending))
}

/** Parses the frames of a stream's bytes, which arrive in chunks of the given length. */
export function framesOf(bytes: Uint8Array, chunkLength = bytes.length): SseFrame[] {
  const parser = new EventStreamParser()
  const frames: SseFrame[] = []
  for (let start = 0; start < bytes.length; start += chunkLength) {
    frames.push(...parser.push(bytes.subarray(start, start + chunkLength)))
  }
  return [...frames, ...parser.end()]
}
