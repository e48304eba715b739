import type { Loss } from "../../../canon/extra.ts"
import { type ImageFormat, type ImageRequest, wantedSize } from "../../../canon/image.ts"
import type { JsonObject } from "../../../canon/json.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import { decodeImageError } from "../errors.ts"
import { carriedOptions, countsOf, notSupported } from "./encoding.ts"
import { bytesImage } from "./images.ts"
import { ratioOf, sentRatio } from "./sizes.ts"

/** Values of `aspect_ratio` in Fireworks' reference for the FLUX workflows. */
const RATIOS = ["1:1", "21:9", "16:9", "3:2", "5:4", "4:5", "2:3", "9:16", "9:21", "4:3", "3:4"]

/**
 * Matches models of `image_generation`, which accept sizes. All other models are workflows that accept aspect ratios.
 */
const SIZED = /stable-diffusion|playground|ssd-1b/i
/** Matches models whose results must be polled. */
const ASYNCHRONOUS = /kontext/i

/** Supported options. `num_inference_steps` is not included, because Fireworks bills an image by its steps. */
const OPTIONS = {
  guidance_scale: "guidance_scale",
  seed: "seed",
}

/**
 * The format of Fireworks' image models. Each call generates one image, and the response contains its bytes (Fireworks'
 * reference for `text_to_image`; `fireworks-image-model.ts` of vercel/ai).
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
  decode: (responses) => ({
    images: responses.map(({ bytes }) => bytesImage(bytes)),
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
