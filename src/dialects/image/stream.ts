import { objectOf, type ReadEvent } from "../shared/read-event.ts"
import type { Loss } from "../../canon/extra.ts"
import type { ImageResult, ImageTask } from "../../canon/image.ts"
import { isJsonObject, type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import { piecesOf } from "../../canon/sliced-json-text.ts"
import { unusable } from "../../canon/operation-response.ts"
import type { Usage } from "../../canon/usage.ts"
import { formatData, formatEvent } from "../../wire/sse.ts"
import { reportedFailure } from "../shared/errors.ts"
import { sentEvent, type SentBytes } from "../shared/stream.ts"
import { nowInSeconds } from "../shared/time.ts"
import { withoutCost, withoutOperatorData } from "../shared/vendor-costs.ts"
import { imageUsageIn } from "./formats/openai.ts"
import { encodeUsage } from "./result.ts"

/** The loss for a stream of a vendor without streams. All images are sent when the last one is complete. */
export const STREAM_EMULATED: Loss = Object.freeze({ name: "stream", effect: "emulated" })

/** Maximum characters of an event. The base64 of an incompressible image of 3,840 x 2,160 pixels is shorter. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024

/** Reads OpenAI's image events while they pass through (`ImageGenStreamEvent`, `ImageEditStreamEvent`). */
export class ImageEventReader {
  readonly maxEventLength = MAX_EVENT_LENGTH
  /** Number of drafts received so far. */
  drafts = 0
  /** The event with the final image, withheld until the request is charged. */
  last: JsonObject | undefined

  /** Token usage, once the last event has reported it. */
  get usage(): Usage | undefined {
    return this.last && imageUsageIn(this.last)
  }

  /** Whether the last event has arrived. */
  get isOver(): boolean {
    return this.last !== undefined
  }

  /**
   * Returns an event for the caller; undefined for the last event.
   * @throws GatewayError if the vendor reports a failure, or sends an invalid event.
   */
  read(event: ReadEvent): SentBytes | undefined {
    const json = objectOf(event)
    if (!json) throw unusable("one of its events is not valid JSON")
    if (isJsonObject(json.error)) throw reportedFailure(json.error)
    const type = textAt(json, "type")
    const shown = withoutOperatorData(json)
    if (type?.endsWith(".completed")) {
      this.last = shown
      return undefined
    }
    if (type?.endsWith(".partial_image")) this.drafts++
    const isAsReceived = shown === json && !event.data.includes("\n")
    return sentEvent(event, isAsReceived ? undefined : shown)
  }
}

/**
 * Yields the pieces of the event with the final image and its cost.
 * @param cost decimal credits.
 */
export function paidEvent(last: JsonObject, cost: string): Iterable<string> {
  // The cost is a number, as in the usage of a chat response. The receipt has the exact amount.
  const usage = { ...withoutCost(objectAt(last, "usage") ?? {}), cost: Number(cost) }
  const paid = { ...last, usage }
  return formatData(textAt(last, "type") ?? "", piecesOf(paid))
}

/** A finished image to be sent in a stream. */
export interface DoneImage {
  /** The image as base64. */
  readonly data: string
  /** The image format, for example `png`. */
  readonly format: string
  /** The size, for example `1024x1024`; undefined if the bytes do not show the size. */
  readonly size: string | undefined
}

/**
 * Encodes finished images as the events of a stream. Each image is one event, and the last event has the tokens and the
 * cost.
 * @param cost decimal credits.
 */
export function encodeImageEvents(
  task: ImageTask,
  result: ImageResult,
  images: readonly DoneImage[],
  cost: string,
): string {
  const created = nowInSeconds()
  const events = images.map(({ data, format, size }) => ({
    type: task === "generation" ? "image_generation.completed" : "image_edit.completed",
    b64_json: data,
    created_at: created,
    // If the option is absent, the model chose the value.
    size: size ?? "auto",
    quality: "auto",
    background: "auto",
    ...result.facts,
    output_format: format,
  }))
  const last = events.pop()
  if (last === undefined) return ""
  const before = events.map((event) =>
    formatEvent({ event: event.type, data: JSON.stringify(event) }),
  )
  return [...before, ...paidEvent({ ...last, usage: encodeUsage(result) }, cost)].join("")
}
