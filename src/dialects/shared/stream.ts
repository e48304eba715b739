import type { PatchedFrame, SseFrame } from "../../canon/dialect.ts"
import { SLICE_BYTES } from "../../canon/sliced-json.ts"
import { LARGE_BODY, piecesOf, piecesOfString } from "../../canon/sliced-json-text.ts"
import type { ReadEvent } from "./read-event.ts"
import { GatewayError } from "../../canon/errors.ts"
import { type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { encodeText, formatData, formatEvent } from "../../wire/sse.ts"

/**
 * Parses the object in a frame that has not been parsed yet.
 * @throws GatewayError `upstream_error` if the data is not JSON.
 */
export function parseFrame({ data }: SseFrame): JsonObject {
  const object = parseJsonObject(data)
  if (object !== undefined) return object
  throw notJson()
}

/** Returns the error for a frame that is not JSON. */
export function notJson(): GatewayError {
  return new GatewayError(
    "upstream_error",
    "The provider sent a part of the stream that is not valid JSON.",
  )
}

/**
 * Returns a frame with an object as its data. Long data is serialized on demand.
 * @param length approximate characters of the response in the object.
 * @param isCarrier whether the object contains the usage: see `EventEncoder`.
 */
export function frameOf(
  event: string | undefined,
  object: JsonObject,
  length: number,
  isCarrier = false,
): SseFrame {
  const frame = {
    ...(event !== undefined && { event }),
    ...(isCarrier && { json: object }),
  }
  if (length <= LARGE_BODY) return { ...frame, data: JSON.stringify(object) }
  return {
    ...frame,
    get data() {
      return JSON.stringify(object)
    },
    pieces: () => piecesOf(object),
  }
}

/** The data of a patched frame. */
export type PatchedData = Pick<PatchedFrame, "data" | "pieces">

/**
 * Returns the data of a patched frame. Long data is serialized on demand.
 * @param written the data before the patch.
 */
export function patchedData(patched: JsonObject, written: string): PatchedData {
  if (written.length <= LARGE_BODY) return { data: JSON.stringify(patched) }
  return { data: "", pieces: () => piecesOf(patched) }
}

/** Bytes for the caller, or the pieces of a long text. */
export type SentBytes = Uint8Array | Iterable<string>

/**
 * Returns a received event for the caller.
 * @param shown the object to be sent instead of the received data.
 */
export function sentEvent(received: ReadEvent, shown?: JsonObject): SentBytes {
  const { event, data, content } = received
  if (content === undefined) {
    return encodeText(formatEvent(shown ? { ...received, data: JSON.stringify(shown) } : received))
  }
  return formatData(event, shown ? piecesOf(shown) : piecesOfString(data, SLICE_BYTES))
}

/** Whether a frame is OpenAI's `[DONE]`, which servers with other formats also send. */
export function isDoneMark({ json, data }: SseFrame): boolean {
  return json === undefined && data.trim() === "[DONE]"
}

/**
 * Parses the object in a frame. The text of an `error` event, which proxies send, becomes the message of an error
 * object.
 */
export function parseFrameOrError(frame: SseFrame): JsonObject {
  if (frame.event !== "error") return parseFrame(frame)
  return parseJsonObject(frame.data) ?? { error: { message: frame.data } }
}

/** Returns the error for a part of a stream that starts twice. Clients would assemble the data after it incorrectly. */
export function startedTwice(part: string): GatewayError {
  return new GatewayError(
    "upstream_error",
    `The provider sent the beginning of the same ${part} twice. Only the delivered part is charged; try again.`,
  )
}
