import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat, wantedSize } from "../../../canon/image.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import { decodeImageError } from "../errors.ts"
import {
  carriedOptions,
  callsOf,
  dataUrlOf,
  promptOf,
  rejectMask,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { decodeImages, imageUsageIn } from "./openai.ts"

/** Maximum `n` in Together's reference for `POST /images/generations`. */
const MAX_PER_CALL = 4

/** Supported options. `steps` is not included, because Together bills an image by its steps. */
const OPTIONS = {
  guidance_scale: "guidance_scale",
  negative_prompt: "negative_prompt",
  output_format: "output_format",
  seed: "seed",
}

/**
 * The format of Together's images. Width and height are separate fields, and base64 is requested as `base64`. An input
 * image is sent as a link. Masks are not supported (`togetherai-image-model.ts` of vercel/ai).
 */
export const TOGETHER_IMAGES: ImageFormat = {
  tasks: ALL_TASKS,
  encode(request, model) {
    const losses: Loss[] = []
    const options = carriedOptions(request, OPTIONS, losses)
    const size = wantedSize(request)
    const [image, ...others] = request.images
    if (request.task === "variation") losses.push(VARIATION_EMULATED)
    rejectMask(request, model)
    if (others.length > 0) losses.push({ name: "image", effect: "approximated" })
    const calls = callsOf(request, MAX_PER_CALL, (count) =>
      jsonCall("/images/generations", {
        model,
        prompt: promptOf(request),
        n: count,
        response_format: request.form === "url" ? "url" : "base64",
        ...(size && { width: size.width, height: size.height }),
        ...(image && { image_url: dataUrlOf(image) }),
        ...options,
      }),
    )
    return { calls, losses }
  },
  decode: decodeImages,
  usageIn: imageUsageIn,
  decodeError: decodeImageError,
}
