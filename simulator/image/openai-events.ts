import { type JsonObject, stringOf } from "../json.ts"
import type { StreamScript } from "../stream.ts"
import { drawPng, type Size } from "./draw.ts"

/** An image that is streamed. */
export interface StreamedImage {
  readonly task: "generation" | "edit"
  readonly seed: string
  readonly size: Size
  /** Members that all events contain: `background`, `output_format`, `quality`, `size`. */
  readonly facts: JsonObject
  /** The usage; absent if the vendor does not report usage. */
  readonly usage?: JsonObject
  readonly drafts: number
}

/** Tokens of a partial image, in addition to the tokens of the image (OpenAI's image generation guide). */
export const DRAFT_TOKENS = 100

/** Returns the events of a GPT image model (`ImageGenStreamEvent`, `ImageEditStreamEvent`). */
export function imageScript(image: StreamedImage): StreamScript {
  const { task, seed, size, facts, usage, drafts } = image
  const name = task === "generation" ? "image_generation" : "image_edit"
  const created = Math.floor(Date.now() / 1000)
  const event = (kind: string, drawn: string, more: object): string => {
    const type = `${name}.${kind}`
    const base64 = drawPng(drawn, size).toString("base64")
    const data = { type, b64_json: base64, created_at: created, ...facts, ...more }
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }
  return {
    opening: [],
    body: Array.from({ length: drafts }, (_, index) =>
      event("partial_image", `${seed} draft ${index}`, { partial_image_index: index }),
    ),
    closing: [event("completed", seed, usage === undefined ? {} : { usage })],
    end: "",
    errorFrame: errorEvent("server_error", "The server had an error.", "server_error"),
    brokenFrame: `event: ${name}.partial_image\ndata: {"type":"${name}.partial_im\n\n`,
  }
}

/** Returns the events for an image that violates the content rules, which is detected after the image was generated. */
export function forbiddenScript(drafts: readonly string[]): StreamScript {
  const words = "Your request was rejected by the safety system."
  const frame = errorEvent("image_generation_user_error", words, "moderation_blocked")
  return { opening: [], body: drafts, closing: [frame], end: "", errorFrame: "", brokenFrame: "" }
}

function errorEvent(type: string, message: string, code: string): string {
  const error = { type, message, code, param: null }
  return `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`
}

/** Returns the error for the fields that apply to streams. */
export function faultOfStream(fields: JsonObject): string | undefined {
  const drafts = Number(fields["partial_images"] ?? 0)
  if (!(drafts >= 0 && drafts <= 3)) return "Invalid 'partial_images': expected 0 to 3."
  const count = stringOf(fields["n"]) || String(fields["n"] ?? 1)
  return count === "1" ? undefined : "Streaming is only supported for n=1."
}
