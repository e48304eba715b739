import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat } from "../../../canon/image.ts"
import { jsonCall } from "../../../canon/operation-response.ts"
import { decodeImageError } from "../errors.ts"
import {
  carriedOptions,
  countsOf,
  dataUrlOf,
  MASK_PROMPT,
  promptOf,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { decodeImages, imageUsageIn } from "./openai.ts"
import { ratioOf, sentRatio } from "./sizes.ts"

/** Values of `ImageGenerationRequest.aspectRatio` of @openrouter/sdk, except unusual ratios. */
const RATIOS = [
  "1:1",
  "2:3",
  "3:2",
  "3:4",
  "4:3",
  "4:5",
  "5:4",
  "9:16",
  "16:9",
  "21:9",
  "1:2",
  "2:1",
]

const OPTIONS = {
  background: "background",
  output_compression: "output_compression",
  output_format: "output_format",
  quality: "quality",
  seed: "seed",
  user: "user",
}

/**
 * The format of OpenRouter's images (recorded; @openrouter/sdk). Each call generates one image, because some providers
 * do not generate more.
 */
export const OPENROUTER_IMAGES: ImageFormat = {
  tasks: ALL_TASKS,
  encode(request, model) {
    const losses: Loss[] = []
    const options = carriedOptions(request, OPTIONS, losses)
    const aspectRatio = ratioOf(request, RATIOS, losses)
    const { images, mask } = request
    const references = [...images, ...(mask === undefined ? [] : [mask])].map((file) => ({
      type: "image_url",
      image_url: { url: dataUrlOf(file) },
    }))
    if (request.task === "variation") losses.push(VARIATION_EMULATED)
    if (mask !== undefined) losses.push({ name: "mask", effect: "approximated" })
    const prompt = promptOf(request)
    const body = {
      model,
      prompt: mask === undefined ? prompt : `${prompt}\n${MASK_PROMPT}`,
      ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
      ...(references.length > 0 && { input_references: references }),
      ...options,
    }
    return { calls: countsOf(request, 1).map(() => jsonCall("/images", body)), losses }
  },
  decode: decodeImages,
  usageIn: imageUsageIn,
  sent: sentRatio,
  decodeError: decodeImageError,
}
