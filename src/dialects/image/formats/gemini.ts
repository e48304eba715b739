import { EntryCount } from "../../../canon/response-limits.ts"
import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat, type ImageRequest, type Image } from "../../../canon/image.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import type { Usage } from "../../../canon/usage.ts"
import { decodeGeminiUsage } from "../../shared/gemini-usage.ts"
import { decodeImageError } from "../errors.ts"
import {
  base64Of,
  carriedOptions,
  callsOf,
  countsOf,
  MASK_PROMPT,
  notSupported,
  promptOf,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { base64Image, forbidden, imageListAt, usageOfResponses } from "./images.ts"
import { ratioOf, sentRatio } from "./sizes.ts"

/** Aspect ratios of Gemini's image models (`ImageConfig.aspectRatio` of @google/genai). */
const GEMINI_RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]
/** Aspect ratios of Imagen (`GenerateImagesConfig.aspectRatio` of @google/genai). */
const IMAGEN_RATIOS = ["1:1", "3:4", "4:3", "9:16", "16:9"]
/** Maximum images that Imagen generates per call. */
const IMAGEN_MAX = 4

/**
 * Creates the format of Google's image models. Gemini's `generateContent` returns one image per call among the parts of
 * its response. Imagen's `predict` returns several images (docs/contribute/wire/images.md#f5).
 * @param parent the path before `/models`.
 */
export function googleImages(parent: string): ImageFormat {
  return {
    tasks: ALL_TASKS,
    encode: (request, model) =>
      isImagen(model) ? encodeImagen(request, model, parent) : encodeGemini(request, model, parent),
    decode(responses) {
      const bodies = responses.map(jsonOf)
      const answered = bodies.map((body) => {
        const images = [...geminiImages(body), ...imagenImages(body)]
        return { images, usage: usageOf(objectAt(body, "usageMetadata"), images.length > 0) }
      })
      const images = answered.flatMap((call) => call.images)
      const [first] = bodies
      const usage = usageOfResponses(answered)
      if (images.length === 0 && first) throw forbidden(reasonOf(first), usage.usage)
      return { images, ...usage, facts: {} }
    },
    usageIn(members) {
      // A response that was not decoded is assumed to have an image.
      const isRead = members["candidates"] !== undefined
      const hasImages = !isRead || geminiImages(members).length > 0
      return usageOf(objectAt(members, "usageMetadata"), hasImages)
    },
    sent: sentRatio,
    decodeError: decodeImageError,
  }
}

function isImagen(model: string): boolean {
  return model.toLowerCase().includes("imagen")
}

function pathOf(parent: string, model: string, method: string): string {
  return `${parent}/models/${encodeURIComponent(model)}:${method}`
}

function encodeGemini(request: ImageRequest, model: string, parent: string) {
  const losses: Loss[] = []
  carriedOptions(request, {}, losses)
  const images = [...request.images, ...(request.mask === undefined ? [] : [request.mask])]
  const parts: JsonObject[] = [{ text: promptOf(request) }]
  for (const file of images) {
    parts.push({ inlineData: { mimeType: file.mediaType, data: base64Of(file) } })
  }
  if (request.task === "variation") losses.push(VARIATION_EMULATED)
  if (request.mask !== undefined) {
    parts.push({ text: MASK_PROMPT })
    losses.push({ name: "mask", effect: "approximated" })
  }
  const aspectRatio = ratioOf(request, GEMINI_RATIOS, losses)
  const body: JsonObject = {
    contents: [{ role: "user", parts }],
    generationConfig: {
      responseModalities: ["TEXT", "IMAGE"],
      ...(aspectRatio === undefined ? {} : { imageConfig: { aspectRatio } }),
    },
  }
  const calls = countsOf(request, 1).map(() =>
    jsonCall(pathOf(parent, model, "generateContent"), body),
  )
  return { calls, losses }
}

function encodeImagen(request: ImageRequest, model: string, parent: string) {
  if (request.task !== "generation") throw notSupported(request, model)
  const losses: Loss[] = []
  carriedOptions(request, {}, losses)
  const aspectRatio = ratioOf(request, IMAGEN_RATIOS, losses)
  const calls = callsOf(request, IMAGEN_MAX, (sampleCount) =>
    jsonCall(pathOf(parent, model, "predict"), {
      instances: [{ prompt: request.prompt }],
      parameters: { sampleCount, ...(aspectRatio === undefined ? {} : { aspectRatio }) },
    }),
  )
  return { calls, losses }
}

function geminiParts(body: JsonObject): JsonObject[] {
  const count = new EntryCount()
  return imageListAt(body, "candidates").flatMap((candidate) => {
    const content = isJsonObject(candidate) ? objectAt(candidate, "content") : undefined
    count.parts(content?.parts)
    return content === undefined ? [] : listAt(content, "parts").filter(isJsonObject)
  })
}

/**
 * Returns the images of a response. Images that are thoughts are left out, because they are drafts of the final image.
 */
function geminiImages(body: JsonObject): Image[] {
  return geminiParts(body).flatMap((part) => {
    const data = part["thought"] === true ? undefined : objectAt(part, "inlineData")
    const base64 = data === undefined ? undefined : textAt(data, "data")
    return base64 === undefined ? [] : [base64Image(base64)]
  })
}

function imagenImages(body: JsonObject): Image[] {
  return imageListAt(body, "predictions").flatMap((prediction) => {
    if (!isJsonObject(prediction)) return []
    const data = textAt(prediction, "bytesBase64Encoded")
    const revisedPrompt = textAt(prediction, "prompt")
    if (data === undefined) return []
    return [{ ...base64Image(data), ...(revisedPrompt === undefined ? {} : { revisedPrompt }) }]
  })
}

/** Returns the reason why there is no image: the first explanation that is found. */
function reasonOf(body: JsonObject): string | undefined {
  const [candidate] = listAt(body, "candidates").filter(isJsonObject)
  const [prediction] = listAt(body, "predictions").filter(isJsonObject)
  const feedback = objectAt(body, "promptFeedback") ?? {}
  return (
    textAt(candidate ?? {}, "finishMessage") ??
    textAt(feedback, "blockReasonMessage") ??
    textAt(feedback, "blockReason") ??
    geminiParts(body)
      .map((part) => textAt(part, "text"))
      .find((text) => text !== undefined) ??
    textAt(candidate ?? {}, "finishReason") ??
    textAt(prediction ?? {}, "raiFilteredReason")
  )
}

/**
 * Returns the usage (docs/contribute/wire/images.md#f4). Imagen reports no usage.
 * @param hasImages whether output without details consists of images. Models can also answer with text.
 */
function usageOf(reported: JsonObject | undefined, hasImages: boolean): Usage | undefined {
  if (quantityOf(reported?.["promptTokenCount"]) === undefined) return undefined
  const usage = decodeGeminiUsage(reported)
  if (usage === undefined || (hasImages && usage.imageOutput > 0)) return usage
  const { output, reasoning, imageOutput } = usage
  return hasImages
    ? { ...usage, output: reasoning, imageOutput: output - reasoning }
    : { ...usage, output: output + imageOutput, imageOutput: 0 }
}
