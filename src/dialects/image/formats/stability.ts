import type { Loss } from "../../../canon/extra.ts"
import { ALL_TASKS, type ImageFormat, type ImageRequest } from "../../../canon/image.ts"
import { type JsonObject, textAt } from "../../../canon/json.ts"
import { jsonOf } from "../../../canon/operation-answer.ts"
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

/** Stability's reference of `stable-image/generate`: `aspect_ratio`. */
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

/** The share of an image that a variation changes, 0 to 1. */
export const VARIATION_STRENGTH = 0.6

/** Stability's service that fills in a masked area; it cannot generate from a prompt alone. */
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
 * Stability's own API, version 2beta: a form for each image, a JSON response with its base64
 * (docs/contribute/wire/images.md#f6). Its models vary an image by starting from it; editing by mask is a separate
 * service, `inpaint`, in whose masks white may change (Stability's reference of `edit/inpaint`).
 */
export const STABILITY_IMAGES: ImageFormat = {
  tasks: ALL_TASKS,
  encode(request, model) {
    const losses: Loss[] = []
    const call = callOf(request, model, losses)
    return { calls: countsOf(request, 1).map(() => call), losses }
  },
  maskStyle: (model) => (isInpainting(model) ? "white" : undefined),
  decode(answers) {
    const bodies = answers.map(jsonOf)
    const images = bodies.flatMap((body) => imageOf(body) ?? [])
    const [first] = bodies
    if (images.length === 0 && first) throw forbidden(textAt(first, "finish_reason"))
    return { images, facts: {} }
  },
  sent: sentRatio,
  decodeError: decodeImageError,
}

/** The fields besides the options, and the endpoint. */
interface StabilityTask {
  /** Below `/v2beta/stable-image`. */
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
  // Four megapixels are returned for an image of any size.
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
  // It keeps the image's shape, which is square as every size of a variation is.
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

/** Two models have their own endpoints; all others are named in the form. */
function endpointOf(model: string): ModelEndpoint {
  const name = model.toLowerCase()
  if (name.includes("ultra")) return { endpoint: "ultra", fields: [], startsWithImages: true }
  if (name.includes("core")) return { endpoint: "core", fields: [], startsWithImages: false }
  return { endpoint: "sd3", fields: [["model", model]], startsWithImages: true }
}

function imageOf(body: JsonObject) {
  const data = textAt(body, "image")
  // A filtered image is returned too, blurred.
  if (data === undefined || textAt(body, "finish_reason") === "CONTENT_FILTERED") return undefined
  return base64Image(data)
}
