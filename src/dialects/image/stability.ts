import type { Loss } from "../../canon/chat.ts"
import type { ImageFormat, ImageRequest } from "../../canon/image.ts"
import { type JsonObject, textAt } from "../../canon/json.ts"
import type { OperationCall } from "../../canon/operation.ts"
import { jsonOf } from "../../canon/operation-answer.ts"
import { encodeForm, type OutgoingField } from "../../wire/encode-form.ts"
import { carriedWishes, countsOf, notSupported } from "./encoding.ts"
import { decodeImageError } from "./errors.ts"
import { base64Picture, forbidden } from "./pictures.ts"
import { ratioOf } from "./sizes.ts"

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

const WISHES = {
  negative_prompt: "negative_prompt",
  output_format: "output_format",
  seed: "seed",
  style_preset: "style_preset",
}

/**
 * Stability's own API, version 2beta: a form for each picture, an answer of JSON with its base64
 * (WIRE.md 11). Its masks mean the opposite of OpenAI's, so edits are not offered.
 */
export const STABILITY_IMAGES: ImageFormat = {
  encode(request, model) {
    if (request.task !== "generation") throw notSupported(request, model)
    const losses: Loss[] = []
    const call = callOf(request, model, losses)
    return { calls: countsOf(request, 1).map(() => call), losses }
  },
  decode(answers) {
    const bodies = answers.map(jsonOf)
    const pictures = bodies.flatMap((body) => pictureOf(body) ?? [])
    const [first] = bodies
    if (pictures.length === 0 && first) throw forbidden(textAt(first, "finish_reason"))
    return { pictures, facts: {} }
  },
  decodeError: decodeImageError,
}

function callOf(request: ImageRequest, model: string, losses: Loss[]): OperationCall {
  const ratio = ratioOf(request, STABILITY_RATIOS, losses)
  const wishes = carriedWishes(request, WISHES, losses)
  const { endpoint, name } = endpointOf(model)
  const fields: OutgoingField[] = [["prompt", request.prompt]]
  if (name !== undefined) fields.push(["model", name])
  if (ratio !== undefined) fields.push(["aspect_ratio", ratio])
  for (const [field, value] of Object.entries(wishes)) fields.push([field, String(value)])
  const { contentType, open } = encodeForm(fields, [])
  return {
    path: `/v2beta/stable-image/generate/${endpoint}`,
    headers: { accept: "application/json" },
    body: { type: "bytes", contentType, bytes: open },
  }
}

/** Two models have an address of their own; all others are named in the form. */
function endpointOf(model: string): { readonly endpoint: string; readonly name?: string } {
  const name = model.toLowerCase()
  if (name.includes("ultra")) return { endpoint: "ultra" }
  if (name.includes("core")) return { endpoint: "core" }
  return { endpoint: "sd3", name: model }
}

function pictureOf(body: JsonObject) {
  const data = textAt(body, "image")
  // A filtered picture is sent too, blurred.
  if (data === undefined || textAt(body, "finish_reason") === "CONTENT_FILTERED") return undefined
  return base64Picture(data)
}
