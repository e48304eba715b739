import type { Loss } from "../../../canon/extra.ts"
import { type ImageFormat, type ImageRequest, wantedSize } from "../../../canon/image.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { jsonCall } from "../../../canon/operation-answer.ts"
import { decodeImageError } from "../errors.ts"
import { carriedOptions, countsOf, notSupported } from "./encoding.ts"
import { bytesImage } from "./images.ts"
import { ratioOf, sentRatio } from "./sizes.ts"

/** Fireworks' reference of the FLUX workflows: `aspect_ratio`. */
const RATIOS = ["1:1", "21:9", "16:9", "3:2", "5:4", "4:5", "2:3", "9:16", "9:21", "4:3", "3:4"]

/** Models at `image_generation`, which accept sizes; all others are workflows with ratios. */
const SIZED = /stable-diffusion|playground|ssd-1b/i
/** Models whose results have to be polled. */
const ASYNCHRONOUS = /kontext/i

/** Without `num_inference_steps`, by which Fireworks bills an image. */
const OPTIONS = {
  guidance_scale: "guidance_scale",
  seed: "seed",
}

/**
 * Fireworks' image models: one image per call, as the bytes of the response (its reference of `text_to_image`;
 * `fireworks-image-model.ts` of vercel/ai).
 */
export const FIREWORKS_IMAGES: ImageFormat = {
  tasks: ["generation"],
  encode(request, model) {
    if (request.task !== "generation" || ASYNCHRONOUS.test(model))
      throw notSupported(request, model)
    const losses: Loss[] = []
    const body = {
      prompt: request.prompt,
      ...shapeOf(request, model, losses),
      ...carriedOptions(request, OPTIONS, losses),
    }
    const path = SIZED.test(model)
      ? `/image_generation/${model}`
      : `/workflows/${model}/text_to_image`
    const call = { ...jsonCall(path, body), headers: { accept: "image/png" } }
    return { calls: countsOf(request, 1).map(() => call), losses }
  },
  decode: (answers) => ({
    images: answers.map(({ bytes }) => bytesImage(bytes)),
    facts: {},
  }),
  sent: (request, model) => (SIZED.test(model) ? request : sentRatio(request)),
  decodeError: decodeImageError,
}

function shapeOf(request: ImageRequest, model: string, losses: Loss[]): JsonObject {
  if (SIZED.test(model)) {
    const size = wantedSize(request)
    return size === undefined ? {} : { width: size.width, height: size.height }
  }
  const ratio = ratioOf(request, RATIOS, losses)
  return ratio === undefined ? {} : { aspect_ratio: ratio }
}
