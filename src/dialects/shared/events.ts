import { GatewayError } from "../../canon/errors.ts"
import { unusable } from "../../canon/operation-answer.ts"
import type { ReceivedEvent } from "../../wire/frames.ts"
import type { SseParser } from "../../wire/sse.ts"

/**
 * Returns the events that a vendor's bytes complete.
 * @throws GatewayError `upstream_error` for an event that is too long, or `overloaded`.
 */
export function readEvents(parser: SseParser, bytes: Uint8Array): readonly ReceivedEvent[] {
  try {
    return parser.push(bytes)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw unusable("one of its events is too long", error)
  }
}
