import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat, type ImageRequest, wantedSize } from "../../../canon/image.ts"
import { isJsonObject, type JsonObject, listAt, textAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import type { OperationCall } from "../../../canon/operation.ts"
import { decodeImageError } from "../errors.ts"
import {
  base64Of,
  carriedOptions,
  callsOf,
  countsOf,
  neededMask,
  notSupported,
  onlyImage,
  promptOf,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { base64Image, forbidden, imageListAt } from "./images.ts"
import { ratioOf, SIZE_APPROXIMATED } from "./sizes.ts"
import { isInpainting, STABILITY_RATIOS, VARIATION_STRENGTH } from "./stability.ts"

/** Maximum `imageGenerationConfig.numberOfImages` of Titan Image Generator and Nova Canvas. */
const AMAZON_MAX = 5
const AMAZON_OPTIONS = { cfgScale: "cfgScale", quality: "quality", seed: "seed" }
const STABILITY_OPTIONS = {
  negative_prompt: "negative_prompt",
  output_format: "output_format",
  seed: "seed",
}
const INPAINT_OPTIONS = { ...STABILITY_OPTIONS, style_preset: "style_preset" }

/**
 * Image models that Bedrock's `InvokeModel` serves: Amazon's Titan and Nova Canvas, and Stability's models (Amazon's
 * references for their bodies; `bedrock-image-model.ts` of vercel/ai). In masks for Amazon's models, pure black marks
 * the area that may change, and the rest is pure white. In masks for Stability's models, white marks this area.
 */
export const BEDROCK_IMAGES: ImageFormat = {
  tasks: ALL_TASKS,
  encode: (request, model) =>
    isStability(model) ? encodeStability(request, model) : encodeAmazon(request, model),
  maskStyle(model) {
    if (!isStability(model)) return "black"
    return isInpainting(model) ? "white" : undefined
  },
  decode(responses) {
    const bodies = responses.map(jsonOf)
    const images = bodies.flatMap((body) =>
      imageListAt(body, "images").flatMap((data) =>
        typeof data === "string" ? [base64Image(data)] : [],
      ),
    )
    const [first] = bodies
    if (images.length === 0 && first) throw forbidden(reasonOf(first))
    return { images, facts: {} }
  },
  decodeError: decodeImageError,
}

function isStability(model: string): boolean {
  return model.includes("stability.")
}

function invoke(model: string, body: JsonObject): OperationCall {
  return jsonCall(`/model/${encodeURIComponent(model)}/invoke`, body)
}

function encodeAmazon(request: ImageRequest, model: string) {
  const losses: Loss[] = []
  const options = carriedOptions(request, AMAZON_OPTIONS, losses)
  const quality = options["quality"]
  const size = wantedSize(request)
  const task = amazonTask(request, model)
  const calls = callsOf(request, AMAZON_MAX, (numberOfImages) =>
    invoke(model, {
      ...task,
      imageGenerationConfig: {
        numberOfImages,
        ...(size && { width: size.width, height: size.height }),
        ...options,
        ...(typeof quality === "string" && { quality: AMAZON_QUALITY[quality] ?? quality }),
      },
    }),
  )
  return { calls, losses }
}

function amazonTask(request: ImageRequest, model: string): JsonObject {
  const { task, prompt: text, images } = request
  switch (task) {
    case "generation":
      return { taskType: "TEXT_IMAGE", textToImageParams: { text } }
    case "edit": {
      const image = base64Of(onlyImage(request, model))
      const maskImage = base64Of(neededMask(request, model))
      return { taskType: "INPAINTING", inPaintingParams: { text, image, maskImage } }
    }
    case "variation":
      return {
        taskType: "IMAGE_VARIATION",
        imageVariationParams: { images: images.map(base64Of) },
      }
  }
}

/** Amazon's name for each of OpenAI's quality levels. */
const AMAZON_QUALITY: Readonly<Record<string, string>> = {
  low: "standard",
  medium: "standard",
  auto: "standard",
  high: "premium",
  hd: "premium",
}

function encodeStability(request: ImageRequest, model: string) {
  const losses: Loss[] = []
  const call = invoke(model, {
    prompt: promptOf(request),
    ...stabilityTask(request, model, losses),
    ...carriedOptions(request, isInpainting(model) ? INPAINT_OPTIONS : STABILITY_OPTIONS, losses),
  })
  return { calls: countsOf(request, 1).map(() => call), losses }
}

function stabilityTask(request: ImageRequest, model: string, losses: Loss[]): JsonObject {
  const { task } = request
  if (isInpainting(model) !== (task === "edit")) throw notSupported(request, model)
  if (task === "edit") {
    if (request.size !== "auto") losses.push(SIZE_APPROXIMATED)
    const image = base64Of(onlyImage(request, model))
    return { image, mask: base64Of(neededMask(request, model)) }
  }
  const ratio = ratioOf(request, STABILITY_RATIOS, losses)
  if (task === "generation") {
    return { mode: "text-to-image", ...(ratio === undefined ? {} : { aspect_ratio: ratio }) }
  }
  // On Bedrock, only Stable Diffusion accepts an initial image.
  if (!model.includes("sd3")) throw notSupported(request, model)
  losses.push(VARIATION_EMULATED)
  const image = base64Of(onlyImage(request, model))
  return { mode: "image-to-image", image, strength: VARIATION_STRENGTH }
}

/**
 * Returns the reason why there is no image: Amazon's `error`, the `status` of a moderated request, or the reason that
 * Stability's filter gives.
 */
function reasonOf(body: JsonObject): string | undefined {
  const filtered = listAt(body, "finish_reasons").find((reason) => typeof reason === "string")
  const details = body["details"]
  return (
    textAt(body, "error") ??
    (typeof filtered === "string" ? filtered : undefined) ??
    (isJsonObject(details) ? JSON.stringify(details) : textAt(body, "status"))
  )
}
