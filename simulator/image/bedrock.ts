import { arrayOf, type JsonObject, objectOf, stringOf } from "../json.ts"
import type { Answered, JsonOperation } from "../json-operation.ts"
import { bedrockManner } from "../manners.ts"
import { type Size, sizeOfRatio } from "./draw.ts"
import { imageOf, seeds, SQUARE } from "./json-vendors.ts"
import { isTransparent, type Pixels, readPixels } from "./pixels.ts"
import { seedOfEdit } from "./stability.ts"

/** Simulates Amazon's and Stability's models on Bedrock, according to Amazon's reference for their bodies. */
export function bedrock(model: string): JsonOperation {
  const manner = bedrockManner(() => ({}))
  if (!model.startsWith("stability.")) return { manner, model, respond: amazon }
  if (model.includes("inpaint")) return { manner, model, respond: inpaint }
  return { manner, model, respond: (body) => stability(body, model) }
}

const MALFORMED = "Malformed input request"

function stability(body: JsonObject, model: string): Answered {
  const text = stringOf(body["prompt"])
  const image = stringOf(body["image"])
  const isVaried = body["mode"] === "image-to-image"
  if (isVaried && !model.includes("sd3")) return { rejected: `${MALFORMED}: #/mode` }
  if (isVaried !== (image !== "")) return { rejected: `${MALFORMED}: #/image` }
  if (isVaried !== (typeof body["strength"] === "number")) {
    return { rejected: `${MALFORMED}: #/strength` }
  }
  if (isVaried && body["aspect_ratio"] !== undefined) {
    return { rejected: `${MALFORMED}: #/aspect_ratio` }
  }
  const size = sizeOfRatio(stringOf(body["aspect_ratio"]) || "1:1") ?? SQUARE
  return drawn(isVaried ? `${text} ${Bun.hash(image).toString(16)}` : text, size)
}

function inpaint(body: JsonObject): Answered {
  const image = bytesAt(body, "image")
  const pixels = readPixels(bytesAt(body, "mask"))
  if (image.length === 0) return { rejected: `${MALFORMED}: #/image` }
  if (pixels?.samples !== 1) return { rejected: `${MALFORMED}: #/mask` }
  const seed = seedOfEdit(stringOf(body["prompt"]), image, pixels.data)
  return drawn(seed, { width: 2048, height: 2048 })
}

function drawn(seed: string, size: Size): Answered {
  return { json: { seeds: [1], finish_reasons: [null], images: [imageOf(seed, size)] } }
}

function bytesAt(body: JsonObject, name: string): Buffer {
  return Buffer.from(stringOf(body[name]), "base64")
}

function amazon(body: JsonObject): Answered {
  const config = objectOf(body["imageGenerationConfig"])
  const count = Number(config["numberOfImages"] ?? 1)
  if (count > 5) return { rejected: `${MALFORMED}: #/imageGenerationConfig/numberOfImages` }
  const size = { width: Number(config["width"] ?? 1024), height: Number(config["height"] ?? 1024) }
  const seed = amazonSeed(body)
  if (typeof seed === "object") return seed
  return { json: { images: seeds(seed, count).map((one) => imageOf(one, size)) } }
}

/** Returns the seed of the images, or the reason for a rejection. */
function amazonSeed(body: JsonObject): string | { readonly rejected: string } {
  switch (body["taskType"]) {
    case "TEXT_IMAGE": {
      const text = stringOf(objectOf(body["textToImageParams"])["text"])
      return text === "" ? { rejected: MALFORMED } : text
    }
    case "IMAGE_VARIATION": {
      const [image] = arrayOf(objectOf(body["imageVariationParams"])["images"])
      return image === undefined ? { rejected: MALFORMED } : Bun.hash(stringOf(image)).toString(16)
    }
    case "INPAINTING":
      return inpaintingSeed(objectOf(body["inPaintingParams"]))
    default:
      return { rejected: `${MALFORMED}: #/taskType` }
  }
}

/**
 * Returns the seed of an inpainted image. Pure black areas of the mask may change, and all other areas must be pure
 * white (Nova Canvas, "Input images for image generation").
 */
function inpaintingSeed(parameters: JsonObject): string | { readonly rejected: string } {
  const bytes = bytesAt(parameters, "image")
  const image = readPixels(bytes)
  const mask = readPixels(bytesAt(parameters, "maskImage"))
  if (image === undefined || mask === undefined) return { rejected: MALFORMED }
  if (isTransparent(image)) {
    return { rejected: "The image has transparent or translucent pixels, which are not supported." }
  }
  if (!isBlackAndWhite(mask)) {
    return {
      rejected: "The mask image contains pixels that are neither pure black nor pure white.",
    }
  }
  if (mask.width !== image.width || mask.height !== image.height) {
    return { rejected: "The mask image and the image have to be of the same size." }
  }
  const strength = mask.data.map((value) => 255 - value)
  return seedOfEdit(stringOf(parameters["text"]), bytes, strength)
}

function isBlackAndWhite({ hasAlpha, data }: Pixels): boolean {
  return !hasAlpha && data.every((value) => value === 0 || value === 255)
}
