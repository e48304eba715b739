import type { Loss } from "../../canon/chat.ts"
import type { ImageFormat, ImageRequest } from "../../canon/image.ts"
import { isJsonObject, type JsonObject, listAt, textAt } from "../../canon/json.ts"
import type { OperationCall } from "../../canon/operation.ts"
import { jsonCall, jsonOf } from "../../canon/operation-answer.ts"
import { base64Of, carriedWishes, countsOf, notSupported } from "./encoding.ts"
import { decodeImageError } from "./errors.ts"
import { base64Picture, forbidden } from "./pictures.ts"
import { ratioOf, wantedSize } from "./sizes.ts"
import { STABILITY_RATIOS } from "./stability.ts"

/** `imageGenerationConfig.numberOfImages` of Titan Image Generator and Nova Canvas. */
const AMAZON_MOST = 5
const AMAZON_WISHES = { cfgScale: "cfgScale", quality: "quality", seed: "seed" }
const STABILITY_WISHES = {
  negative_prompt: "negative_prompt",
  output_format: "output_format",
  seed: "seed",
}

/**
 * Image models on Bedrock by `InvokeModel`: Amazon's Titan and Nova Canvas, and Stability's (Amazon's
 * references of their bodies; `bedrock-image-model.ts` of vercel/ai). Their masks are black and
 * white, not transparent, so edits are not offered; Amazon's models have variations of their own.
 */
export const BEDROCK_IMAGES: ImageFormat = {
  encode: (request, model) =>
    isStability(model) ? encodeStability(request, model) : encodeAmazon(request, model),
  decode(answers) {
    const bodies = answers.map(jsonOf)
    const pictures = bodies.flatMap((body) =>
      listAt(body, "images").flatMap((data) =>
        typeof data === "string" ? [base64Picture(data)] : [],
      ),
    )
    const [first] = bodies
    if (pictures.length === 0 && first) throw forbidden(reasonOf(first))
    return { pictures, facts: {} }
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
  if (request.task === "edit") throw notSupported(request, model)
  const losses: Loss[] = []
  const wishes = carriedWishes(request, AMAZON_WISHES, losses)
  const quality = wishes["quality"]
  const size = wantedSize(request)
  const task =
    request.task === "generation"
      ? { taskType: "TEXT_IMAGE", textToImageParams: { text: request.prompt } }
      : {
          taskType: "IMAGE_VARIATION",
          imageVariationParams: { images: request.images.map(base64Of) },
        }
  const calls = countsOf(request, AMAZON_MOST).map((numberOfImages) =>
    invoke(model, {
      ...task,
      imageGenerationConfig: {
        numberOfImages,
        ...(size && { width: size.width, height: size.height }),
        ...wishes,
        ...(typeof quality === "string" && { quality: AMAZON_QUALITY[quality] ?? quality }),
      },
    }),
  )
  return { calls, losses }
}

/** OpenAI's words for a quality, in Amazon's. */
const AMAZON_QUALITY: Readonly<Record<string, string>> = {
  low: "standard",
  medium: "standard",
  auto: "standard",
  high: "premium",
  hd: "premium",
}

function encodeStability(request: ImageRequest, model: string) {
  if (request.task !== "generation") throw notSupported(request, model)
  const losses: Loss[] = []
  const ratio = ratioOf(request, STABILITY_RATIOS, losses)
  const call = invoke(model, {
    prompt: request.prompt,
    mode: "text-to-image",
    ...(ratio === undefined ? {} : { aspect_ratio: ratio }),
    ...carriedWishes(request, STABILITY_WISHES, losses),
  })
  return { calls: countsOf(request, 1).map(() => call), losses }
}

/** Amazon's `error`, a moderated request's `status`, or why Stability's filter struck. */
function reasonOf(body: JsonObject): string | undefined {
  const filtered = listAt(body, "finish_reasons").find((reason) => typeof reason === "string")
  const details = body["details"]
  return (
    textAt(body, "error") ??
    (typeof filtered === "string" ? filtered : undefined) ??
    (isJsonObject(details) ? JSON.stringify(details) : textAt(body, "status"))
  )
}
