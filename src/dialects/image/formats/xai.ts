import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat } from "../../../canon/image.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import { decodeImageError } from "../errors.ts"
import {
  carriedOptions,
  callsOf,
  dataUrlOf,
  MASK_PROMPT,
  promptOf,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { decodeImages, imageUsageIn } from "./openai.ts"
import { ratioOf, sentRatio } from "./sizes.ts"

/** Values of `aspect_ratio` in docs.x.ai. */
const RATIOS = ["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "2:1", "1:2"]
const MAX_PER_CALL = 10

/**
 * The format of xAI's images. Edits are sent as JSON too. Several input images are accepted, but no masks. Aspect
 * ratios replace sizes (docs.x.ai, "Image Generation"; `xai-image-model.ts` of vercel/ai; recorded response).
 */
export const XAI_IMAGES: ImageFormat = {
  tasks: ALL_TASKS,
  encode(request, model) {
    const losses: Loss[] = []
    const options = carriedOptions(
      request,
      { quality: "quality", user: "user", output_format: "output_format" },
      losses,
    )
    const aspectRatio = ratioOf(request, RATIOS, losses)
    const { mask } = request
    const files = [...request.images, ...(mask === undefined ? [] : [mask])]
    const images = files.map((file) => ({ url: dataUrlOf(file), type: "image_url" }))
    if (request.task === "variation") losses.push(VARIATION_EMULATED)
    if (mask !== undefined) losses.push({ name: "mask", effect: "approximated" })
    const path = request.task === "generation" ? "/images/generations" : "/images/edits"
    const calls = callsOf(request, MAX_PER_CALL, (count) =>
      jsonCall(path, {
        model,
        prompt: mask === undefined ? promptOf(request) : `${promptOf(request)}\n${MASK_PROMPT}`,
        n: count,
        response_format: request.form,
        ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
        ...(images.length === 1 && { image: images[0] }),
        ...(images.length > 1 && { images }),
        ...options,
      }),
    )
    return { calls, losses }
  },
  decode: decodeImages,
  usageIn: imageUsageIn,
  sent: sentRatio,
  decodeError: decodeImageError,
}
