import { objectOf, type ReadEvent } from "../../dialects/shared/read-event.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonScanner } from "../../canon/json-structure.ts"
import type { JsonObject } from "../../canon/json.ts"

const OPENING_BRACE = 0x7b
/** Maximum lists, objects and members of one frame, the same as for a caller's body (decision 20). */
const MAX_VALUES = 500_000
/** Maximum elements of all lists in a frame. A frame of 16 MB could contain eight million. */
const MAX_ELEMENTS = 250_000
/** Maximum characters of a frame that cannot contain enough values to block the event loop. */
export const MAX_LIGHT_FRAME_LENGTH = 500_000
/** The cost of parsing a list, object or member, expressed in bytes of text. */
const VALUE_COST = 32

/** A frame whose parsed object belongs to the only reader of the frame, which may add members to it. */
type UnparsedFrame = ReadEvent & { json?: JsonObject }

/**
 * Parses a frame once for all readers: the decoder, the patches and the meter. `weighFrame` has already checked its
 * cost.
 */
export function parseFrame(frame: UnparsedFrame): SseFrame {
  if (frame.data.charCodeAt(0) !== OPENING_BRACE) return frame
  const json = objectOf(frame)
  if (json !== undefined) frame.json = json
  return frame
}

/** Whether the scanned content of a frame has so many values that parsing would block other requests. */
export function isTooHeavy({ values, elements, isTooWide }: JsonScanner): boolean {
  return values > MAX_VALUES || elements > MAX_ELEMENTS || isTooWide
}

/**
 * Returns the additional cost of parsing a frame, expressed in bytes of text.
 * @throws GatewayError `upstream_error` if parsing would block other requests.
 */
export function weighFrame({ content }: ReadEvent): number {
  if (content === undefined) return 0
  if (content.isTooHeavy) throw tooMany()
  return content.values * VALUE_COST
}

function tooMany(): GatewayError {
  const [values, elements] = [MAX_VALUES, MAX_ELEMENTS].map((max) => max.toLocaleString("en-US"))
  return new GatewayError(
    "upstream_error",
    `The provider sent a chunk of the stream that holds more than ${values} lists, objects and members or ${elements} elements. Request less output, or fewer log probabilities.`,
  )
}
