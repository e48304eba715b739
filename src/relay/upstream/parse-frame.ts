import { type EventContent, objectOf, type ReadEvent } from "../../dialects/shared/read-event.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { JsonScanner } from "../../canon/json-structure.ts"
import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import { parseWhole } from "../../canon/long-value.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { SLICE_BYTES } from "../../canon/sliced-json.ts"
import { joinPieces, piecesOfString } from "../../canon/sliced-json-text.ts"
import type { ReceivedEvent } from "../../wire/frames.ts"
import { isTooComplex, UsageMembers } from "./usage-members.ts"

const OPENING_BRACE = 0x7b
/** Maximum lists, objects and members of one frame, the same as for a caller's body (decision 20). */
const MAX_VALUES = 500_000
/** Maximum elements of all lists in a frame. A frame of 16 MB could contain eight million. */
const MAX_ELEMENTS = 250_000
/** Maximum characters of a frame that cannot contain enough values to block the event loop. */
const MAX_LIGHT_FRAME_LENGTH = 500_000
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

/** Whether the first of some events is long. Only the first one can be longer than the last received chunk. */
export function isLongEvent([first]: readonly ReceivedEvent[]): boolean {
  return first !== undefined && first.data.length > MAX_LIGHT_FRAME_LENGTH
}

/** Reads the content of the first event in slices. */
export async function readLongEvent(
  events: readonly ReceivedEvent[],
): Promise<readonly ReadEvent[]> {
  const [first, ...rest] = events
  if (first === undefined) return events
  return [{ ...first, content: await contentOf(first.data) }, ...rest]
}

async function contentOf(data: string): Promise<EventContent> {
  await ownTurn()
  const { buffer } = await joinPieces(piecesOfString(data, SLICE_BYTES))
  const bytes = Buffer.from(buffer)
  const usage = new UsageMembers()
  const scanner = new JsonScanner({ observer: usage })
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    scanner.push(bytes.subarray(start, start + SLICE_BYTES))
    await ownTurn()
  }
  const { values } = scanner
  const isUnparsed = isTooHeavy(scanner) || isTooComplex(scanner)
  const json = isUnparsed ? undefined : await parseWhole(bytes)
  await ownTurn()
  return {
    values,
    isTooHeavy: isTooHeavy(scanner),
    isTooComplex: scanner.isClosed && isTooComplex(scanner),
    usageMembers: usage.members,
    json: isJsonObject(json) ? json : undefined,
  }
}
