import type { Loss } from "../../canon/extra.ts"
import type { ImageResult, ImageTask } from "../../canon/image.ts"
import {
  isJsonObject,
  type JsonObject,
  objectAt,
  parseJsonObject,
  textAt,
} from "../../canon/json.ts"
import { unusable } from "../../canon/operation-answer.ts"
import type { Usage } from "../../canon/usage.ts"
import type { FrameMemory, ReceivedEvent } from "../../wire/frames.ts"
import { encodeText, formatEvent, SseParser } from "../../wire/sse.ts"
import { reportedFailure } from "../shared/errors.ts"
import { readEvents } from "../shared/events.ts"
import { nowInSeconds } from "../shared/time.ts"
import { imageUsage } from "./formats/openai.ts"
import { encodeUsage } from "./result.ts"

/** A stream of a vendor without streams: the images are sent when all of them are done. */
export const STREAM_EMULATED: Loss = Object.freeze({ name: "stream", effect: "emulated" })

/** An image of 3,840 x 2,160 pixels that cannot be compressed, as base64, is less. Characters. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024

/** Reads OpenAI's image events while they pass through (`ImageGenStreamEvent`, `ImageEditStreamEvent`). */
export class ImageEventReader {
  /** Drafts so far. */
  drafts = 0
  /** The event with the image, withheld until it is paid for. */
  last: JsonObject | undefined
  readonly #parser: SseParser

  constructor(memory?: FrameMemory) {
    this.#parser = new SseParser({ longest: MAX_EVENT_LENGTH, memory })
  }

  /** Tokens, once the last event has reported them. */
  get usage(): Usage | undefined {
    return this.last && imageUsage(objectAt(this.last, "usage"))
  }

  /**
   * The events that these bytes complete, except for the last one. Events before a failure are still yielded.
   * @throws GatewayError when the vendor reports a failure, or sends an invalid event.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    for (const event of readEvents(this.#parser, bytes)) {
      if (this.last) return
      const json = parseJsonObject(event.data)
      if (!json) throw unusable("one of its events is not valid JSON")
      if (isJsonObject(json.error)) throw reportedFailure(json.error)
      const type = textAt(json, "type")
      if (type?.endsWith(".completed")) {
        this.last = json
        return
      }
      if (type?.endsWith(".partial_image")) this.drafts++
      yield encodeText(formatEvent(inOneLine(event, json)))
    }
  }
}

function inOneLine(event: ReceivedEvent, json: JsonObject): ReceivedEvent {
  return event.data.includes("\n") ? { ...event, data: JSON.stringify(json) } : event
}

/** The event with the image and its cost. @param cost credits, decimal. */
export function paidEvent(last: JsonObject, cost: string): string {
  // A number, as in the usage of a chat; the receipt has the exact amount.
  const paid = { ...last, usage: { ...objectAt(last, "usage"), cost: Number(cost) } }
  return formatEvent({ event: textAt(last, "type") ?? "", data: JSON.stringify(paid) })
}

/** A finished image, for a stream. */
export interface DoneImage {
  /** Base64. */
  readonly data: string
  /** `png` */
  readonly format: string
  /** `1024x1024`, where known from its bytes. */
  readonly size: string | undefined
}

/**
 * Whole images as the events of a stream: one each, with tokens and cost in the last.
 * @param cost credits, decimal.
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
    // An absent option was the model's choice.
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
  return before.join("") + paidEvent({ ...last, usage: encodeUsage(result) }, cost)
}
