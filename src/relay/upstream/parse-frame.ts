import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { type JsonObject, parseJsonObject } from "../../canon/json.ts"
import type { ReceivedEvent } from "../../wire/frames.ts"

const OPENING_BRACE = 0x7b
/** Maximum lists, objects and members of one frame, the same as for a caller's body (decision 20). */
const MAX_VALUES = 500_000
/** Maximum elements of all lists in a frame. A frame of 16 MB could contain eight million. */
const MAX_ELEMENTS = 250_000
/** Characters below which a frame cannot contain enough values to block the event loop. */
const LIGHT_FRAME = 500_000
/** The cost of parsing a list, object or member, expressed in bytes of text. */
const VALUE_COST = 32

/** A frame whose parsed object belongs to the only reader of the frame, which may add members to it. */
type UnparsedFrame = ReceivedEvent & { json?: JsonObject }

/**
 * Parses a frame once for all readers: the decoder, the patches and the meter. `weighFrame` has already checked its
 * cost.
 */
export function parseFrame(frame: UnparsedFrame): SseFrame {
  if (frame.data.charCodeAt(0) !== OPENING_BRACE) return frame
  const json = parseJsonObject(frame.data)
  if (json !== undefined) frame.json = json
  return frame
}

/**
 * Whether the first of some frames may take a long time to parse. Only the first frame can be longer than the last
 * received chunk.
 */
export function isHeavy([first]: readonly ReceivedEvent[]): boolean {
  return first !== undefined && first.data.length > LIGHT_FRAME
}

/**
 * Returns the additional cost of parsing a frame, expressed in bytes of text.
 * @throws GatewayError `upstream_error` if parsing would block other requests.
 */
export function weighFrame({ data }: ReceivedEvent): number {
  if (data.length <= LIGHT_FRAME) return 0
  const scanner = new JsonScanner()
  scanner.push(Buffer.from(data))
  const { values, elements, isTooWide } = scanner
  if (values > MAX_VALUES || elements > MAX_ELEMENTS || isTooWide) throw tooMany()
  return values * VALUE_COST
}

function tooMany(): GatewayError {
  const [values, elements] = [MAX_VALUES, MAX_ELEMENTS].map((max) => max.toLocaleString("en-US"))
  return new GatewayError(
    "upstream_error",
    `The provider sent a chunk of the stream that holds more than ${values} lists, objects and members or ${elements} elements. Request less output, or fewer log probabilities.`,
  )
}
