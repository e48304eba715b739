import type { Exchange } from "../exchange.ts"
import { arrayOf, isObject, type JsonObject, objectOf, stringOf } from "../json.ts"
import { type Answered, type JsonOperation, unknownField } from "../json-operation.ts"
import { GOOGLE, OPENAI } from "../manners.ts"
import { countTokens } from "../tokens.ts"
import { drawPng, type Size, sizeOfRatio } from "./draw.ts"
import { geminiMedia } from "../gemini/media.ts"
import { linkTo } from "./links.ts"

/** The default size. */
export const SQUARE: Size = { width: 1024, height: 1024 }

/** Returns an image as base64. */
export function imageOf(seed: string, size: Size): string {
  return drawPng(seed, size).toString("base64")
}

/** Returns the seeds of the images in a response. */
export function seeds(text: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${text} ${index}`)
}

/** Simulates xAI: aspect ratios, links unless base64 is requested, no `created` (recorded). */
export function xai(exchange: Exchange): JsonOperation {
  const known =
    "model prompt n response_format aspect_ratio resolution quality user output_format image images"
  return {
    manner: OPENAI,
    respond(body): Answered {
      const unknown = unknownField(body, known.split(" "))
      if (unknown !== undefined) return { rejected: `Argument not supported: ${unknown}` }
      const size = sizeOfRatio(stringOf(body["aspect_ratio"]) || "1:1")
      if (size === undefined) return { rejected: "Invalid aspect_ratio." }
      const data = seeds(stringOf(body["prompt"]), Number(body["n"] ?? 1)).map((seed) => ({
        ...(body["response_format"] === "b64_json"
          ? { b64_json: imageOf(seed, size) }
          : { url: linkTo(exchange, seed, size) }),
        mime_type: "image/png",
        revised_prompt: `${seed}, photorealistic`,
      }))
      return { json: { data, usage: { cost_in_usd_ticks: 200_000_000 * data.length } } }
    },
  }
}

/** Simulates Together: width and height, `base64` for base64, at most four images at a time. */
export function together(exchange: Exchange): JsonOperation {
  const known =
    "model prompt n response_format width height steps seed negative_prompt image_url output_format guidance_scale"
  return {
    manner: OPENAI,
    respond(body): Answered {
      const unknown = unknownField(body, known.split(" "))
      if (unknown !== undefined) return { rejected: `Unknown parameter ${unknown}` }
      const count = Number(body["n"] ?? 1)
      if (count > 4) return { rejected: "n has to be between 1 and 4" }
      const size = { width: Number(body["width"] ?? 1024), height: Number(body["height"] ?? 1024) }
      const data = seeds(stringOf(body["prompt"]), count).map((seed, index) => ({
        index,
        ...(body["response_format"] === "base64"
          ? { b64_json: imageOf(seed, size) }
          : { url: linkTo(exchange, seed, size) }),
        timings: { inference: 0.4 },
      }))
      return { json: { id: "simulated", model: body["model"], object: "list", data } }
    },
  }
}

/** Simulates OpenRouter: one image at a time, always base64 (recorded). */
export function openrouter(): JsonOperation {
  return {
    manner: OPENAI,
    respond(body): Answered {
      if (body["n"] !== undefined && body["n"] !== 1) return { rejected: "n must be 1" }
      const size = sizeOfRatio(stringOf(body["aspect_ratio"]) || "1:1") ?? SQUARE
      const text = stringOf(body["prompt"])
      const input = countTokens(text) + 1_120 * arrayOf(body["input_references"]).length
      return {
        json: {
          created: 0,
          data: [{ b64_json: imageOf(text, size), media_type: "image/png" }],
          usage: {
            prompt_tokens: input,
            completion_tokens: 1_120,
            total_tokens: input + 1_120,
            cost: 0.0336,
          },
        },
      }
    },
  }
}

/**
 * Simulates Gemini's image models, whose responses contain an image among the parts (recorded). If the request lists no
 * modalities, a sentence precedes the image. If it lists only text, there is no image.
 */
export function gemini(model: string, isStream = false): JsonOperation {
  return {
    manner: GOOGLE,
    model,
    respond(body): Answered {
      const config = objectOf(body["generationConfig"])
      const modalities = arrayOf(config["responseModalities"])
      const contents = arrayOf(body["contents"]).map((content) => objectOf(content))
      const parts = contents.flatMap((content) => arrayOf(content["parts"])).filter(isObject)
      const text = parts.map((part) => stringOf(part["text"])).join(" ")
      const images = parts.filter((part) => part["inlineData"] !== undefined).length
      if (text.includes("forbidden")) return { json: blocked(countTokens(text)) }
      const ratio = stringOf(objectOf(config["imageConfig"])["aspectRatio"]) || "1:1"
      const size = sizeOfRatio(ratio)
      if (size === undefined) return { rejected: `Invalid aspect ratio ${ratio}.` }
      const drawn = { inlineData: { mimeType: "image/png", data: imageOf(text, size) } }
      const isDrawn = modalities.length === 0 || modalities.includes("IMAGE")
      const said = modalities.length === 0 || !isDrawn ? [{ text: "Here it is." }] : []
      return geminiMedia(isDrawn ? [...said, drawn] : said, {
        model,
        isStream,
        input: countTokens(text) + 258 * images,
        output: isDrawn ? IMAGE_TOKENS : TEXT_TOKENS,
        modality: isDrawn ? "IMAGE" : "TEXT",
      })
    },
  }
}

/** Number of tokens of an image, and of a sentence. */
const IMAGE_TOKENS = 1_290
const TEXT_TOKENS = 4

function blocked(prompt: number): JsonObject {
  return {
    candidates: [
      {
        finishReason: "IMAGE_SAFETY",
        finishMessage: "Unable to show the generated image.",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: prompt, totalTokenCount: prompt },
  }
}

/** Simulates Imagen: up to four images, no usage (docs/contribute/wire/images.md#f5). */
export function imagen(model: string): JsonOperation {
  return {
    manner: GOOGLE,
    model,
    respond(body): Answered {
      const parameters = objectOf(body["parameters"])
      const count = Number(parameters["sampleCount"] ?? 1)
      if (count > 4) return { rejected: "sampleCount has to be between 1 and 4." }
      const text = stringOf(objectOf(arrayOf(body["instances"])[0])["prompt"])
      const size = sizeOfRatio(stringOf(parameters["aspectRatio"]) || "1:1") ?? SQUARE
      const predictions = seeds(text, count).map((seed) => ({
        mimeType: "image/png",
        bytesBase64Encoded: imageOf(seed, size),
      }))
      return { json: { predictions } }
    },
  }
}
