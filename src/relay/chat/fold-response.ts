import type { ChatEvent, ChatRequest, ChatResult } from "../../canon/chat.ts"
import type { SseFrame } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { ResponseFold } from "../../canon/fold.ts"
import { isJsonObject } from "../../canon/json.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import { ResponseSize } from "../upstream/response-size.ts"
import type { ReadingParts } from "./reading-parts.ts"
import type { FrameWriter } from "./stream-writer.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { Plan } from "./plan.ts"
import { UpstreamStream } from "./upstream-stream.ts"

/** Fields that request results of a vendor's own tools, audio or images. */
const OTHER_OUTPUT = ["tools", "mcp_servers", "web_search_options", "plugins"] as const

/**
 * Whether a response that is folded from a stream is equal to a whole response. Only whole responses report the actions
 * of a vendor's own tools, and contain audio and images.
 */
export function isFoldable({ extra, webSearch, modalities }: ChatRequest): boolean {
  if (webSearch !== undefined) return false
  if (modalities?.some((modality) => modality !== "text")) return false
  if (extra === undefined) return true
  const { generationConfig } = extra.fields
  if (isJsonObject(generationConfig) && generationConfig.responseModalities !== undefined) {
    return false
  }
  return OTHER_OUTPUT.every((name) => extra.fields[name] === undefined)
}

/** A folded response. `rest` is the rest of its call: see `ResponseStream.rest`. */
export interface FoldedResponse {
  readonly result: ChatResult
  readonly rest: Promise<void> | undefined
}

/**
 * Returns the whole response of a call that was made for a stream, so that the relay can end the response at its
 * limits.
 * @throws GatewayError if the stream broke before its end. A partial response is never returned as a whole.
 */
export async function foldResponse(
  attempt: Attempt<Plan>,
  response: HttpResponse,
  parts: ReadingParts,
): Promise<FoldedResponse> {
  const writer = new CollectingWriter(new ResponseSize(attempt))
  const stream = await UpstreamStream.open(attempt, response, { ...parts, writer })
  // Resolves only at the end, because the collecting writer never returns text.
  await stream.read()
  const result = writer.fold.end()
  if (result.choices.length === 0) {
    throw new GatewayError(
      "upstream_error",
      "The provider's response contains no choice. Try again.",
    )
  }
  const { rest } = stream
  // If there is no rest, the attempt ends with the response.
  if (rest) void stream.drain()
  return { result, rest }
}

/** Folds a stream into a whole response while it arrives. */
class CollectingWriter implements FrameWriter {
  fold = new ResponseFold()
  readonly isOver = false
  readonly #size: ResponseSize

  constructor(size: ResponseSize) {
    this.#size = size
  }

  push(frame: SseFrame | undefined, events: readonly ChatEvent[]): string {
    if (frame !== undefined) {
      this.#size.count(frame.data.length)
      const failure = this.#size.isSmall ? undefined : this.#size.reserve()
      if (failure !== undefined) {
        // The rest of the stream may be read for its usage, but its text is not needed.
        this.fold = new ResponseFold()
        this.#size.release()
        throw failure
      }
    }
    for (const event of events) this.fold.push(event)
    return ""
  }
}
