import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat, type ImageRequest } from "../../../canon/image.ts"
import { type JsonObject, textAt } from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-response.ts"
import type { OperationCall } from "../../../canon/operation.ts"
import { encodeForm, type OutgoingField, type OutgoingFile } from "../../../wire/encode-form.ts"
import { decodeImageError } from "../errors.ts"
import {
  carriedOptions,
  countsOf,
  neededMask,
  notSupported,
  onlyImage,
  outgoingImage,
  promptOf,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { base64Image, forbidden } from "./images.ts"
import { ratioOf, sentRatio, SIZE_APPROXIMATED } from "./sizes.ts"

/** Values of `aspect_ratio` in Stability's reference for `stable-image/generate`. */
export const STABILITY_RATIOS = [
  "1:1",
  "16:9",
  "21:9",
  "2:3",
  "3:2",
  "4:5",
  "5:4",
  "9:16",
  "9:21",
] as const

/** The share of an image that a variation changes, from 0 to 1. */
export const VARIATION_STRENGTH = 0.6

/**
 * Whether a model is Stability's inpainting service, which fills a masked area and cannot generate an image from a
 * prompt alone.
 */
export function isInpainting(model: string): boolean {
  return model.toLowerCase().includes("inpaint")
}

const OPTIONS = {
  negative_prompt: "negative_prompt",
  output_format: "output_format",
  seed: "seed",
  style_preset: "style_preset",
}

/**
 * The format of Stability's own API, version 2beta. Each image is requested with a form, and the JSON response contains
 * its base64 (docs/contribute/wire/images.md#f6). The models create a variation by starting from the image. Editing
 * with a mask is a separate service, `inpaint`. In its masks, white marks the area that may change (Stability's
 * reference for `edit/inpaint`).
 */
export const STABILITY_IMAGES: ImageFormat = {
  tasks: ALL_TASKS,
  encode(request, model) {
    const losses: Loss[] = []
    const call = callOf(request, model, losses)
    return { calls: countsOf(request, 1).map(() => call), losses }
  },
  maskStyle: (model) => (isInpainting(model) ? "white" : undefined),
  decode(responses) {
    const bodies = responses.map(jsonOf)
    const images = bodies.flatMap((body) => imageOf(body) ?? [])
    const [first] = bodies
    if (images.length === 0 && first) throw forbidden(textAt(first, "finish_reason"))
    return { images, facts: {} }
  },
  sent: sentRatio,
  decodeError: decodeImageError,
}

/** The endpoint of a task, and its fields except for the options. */
interface StabilityTask {
  /** The path relative to `/v2beta/stable-image`. */
  readonly path: string
  readonly fields: readonly OutgoingField[]
  readonly files: readonly OutgoingFile[]
}

function callOf(request: ImageRequest, model: string, losses: Loss[]): OperationCall {
  const { path, fields, files } = taskOf(request, model, losses)
  const options = Object.entries(carriedOptions(request, OPTIONS, losses))
  const texts: readonly OutgoingField[] = [
    ["prompt", promptOf(request)],
    ...fields,
    ...options.map(([name, value]): OutgoingField => [name, String(value)]),
  ]
  const { contentType, open } = encodeForm(texts, files)
  return {
    path: `/v2beta/stable-image${path}`,
    headers: { accept: "application/json" },
    body: { type: "bytes", contentType, bytes: open },
  }
}

function taskOf(request: ImageRequest, model: string, losses: Loss[]): StabilityTask {
  switch (request.task) {
    case "generation":
      return generationOf(request, model, losses)
    case "edit":
      return editOf(request, model, losses)
    case "variation":
      return variationOf(request, model, losses)
  }
}

function generationOf(request: ImageRequest, model: string, losses: Loss[]): StabilityTask {
  if (isInpainting(model)) throw notSupported(request, model)
  const ratio = ratioOf(request, STABILITY_RATIOS, losses)
  const { endpoint, fields } = endpointOf(model)
  return {
    path: `/generate/${endpoint}`,
    fields: ratio === undefined ? fields : [...fields, ["aspect_ratio", ratio]],
    files: [],
  }
}

function editOf(request: ImageRequest, model: string, losses: Loss[]): StabilityTask {
  if (!isInpainting(model)) throw notSupported(request, model)
  // The service returns four megapixels for an image of any size.
  if (request.size !== "auto") losses.push(SIZE_APPROXIMATED)
  return {
    path: "/edit/inpaint",
    fields: [],
    files: [
      outgoingImage("image", "image", onlyImage(request, model)),
      outgoingImage("mask", "mask", neededMask(request, model)),
    ],
  }
}

function variationOf(request: ImageRequest, model: string, losses: Loss[]): StabilityTask {
  const { endpoint, fields, startsWithImages } = endpointOf(model)
  if (isInpainting(model) || !startsWithImages) throw notSupported(request, model)
  losses.push(VARIATION_EMULATED)
  // Reports the loss of a requested size. The result has the shape of the input image, and all sizes of a variation are
  // square.
  ratioOf(request, STABILITY_RATIOS, losses)
  const mode: readonly OutgoingField[] = endpoint === "sd3" ? [["mode", "image-to-image"]] : []
  return {
    path: `/generate/${endpoint}`,
    fields: [...fields, ...mode, ["strength", String(VARIATION_STRENGTH)]],
    files: [outgoingImage("image", "image", onlyImage(request, model))],
  }
}

interface ModelEndpoint {
  readonly endpoint: "ultra" | "core" | "sd3"
  readonly fields: readonly OutgoingField[]
  readonly startsWithImages: boolean
}

/** Returns the endpoint of a model. Two models have their own endpoints. All others are named in the form. */
function endpointOf(model: string): ModelEndpoint {
  const name = model.toLowerCase()
  if (name.includes("ultra")) return { endpoint: "ultra", fields: [], startsWithImages: true }
  if (name.includes("core")) return { endpoint: "core", fields: [], startsWithImages: false }
  return { endpoint: "sd3", fields: [["model", model]], startsWithImages: true }
}

function imageOf(body: JsonObject) {
  const data = textAt(body, "image")
  // Stability also returns a filtered image, but blurred.
  if (data === undefined || textAt(body, "finish_reason") === "CONTENT_FILTERED") return undefined
  return base64Image(data)
}
