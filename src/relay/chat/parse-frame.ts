import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { type JsonObject, parseJsonObject } from "../../canon/json.ts"
import type { ReceivedEvent } from "../../wire/frames.ts"

const OPENING_BRACE = 0x7b
/** Lists, objects and members of one frame: as many as a caller's body may hold (decision 20). */
const MAX_VALUES = 500_000

/** What the parser of the stream has made for its one reader, which may add to it. */
type UnparsedFrame = ReceivedEvent & { json?: JsonObject }

/** Parses a frame once for all that read it: its decoder, its patches, its meter. */
export function parseFrame(frame: UnparsedFrame): SseFrame {
  if (frame.data.length > MAX_VALUES && valuesIn(frame.data) > MAX_VALUES) throw tooMany()
  if (frame.data.charCodeAt(0) !== OPENING_BRACE) return frame
  const json = parseJsonObject(frame.data)
  if (json !== undefined) frame.json = json
  return frame
}

function valuesIn(text: string): number {
  const scanner = new JsonScanner()
  scanner.push(Buffer.from(text))
  return scanner.values
}

function tooMany(): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The provider sent a chunk of the stream that holds more than ${MAX_VALUES.toLocaleString("en-US")} lists, objects and members. Only what was delivered is charged; try again.`,
  )
}
