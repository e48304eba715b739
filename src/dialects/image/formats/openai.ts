import type { Loss } from "../../../canon/extra.ts"
import {
  ALL_TASKS,
  type ImageFormat,
  type ImageRequest,
  type ImageResult,
  type ImageSize,
  sizeName,
  wantedSize,
} from "../../../canon/image.ts"
import { isDefined, type JsonObject, objectAt } from "../../../canon/json.ts"
import { jsonCall, jsonOf } from "../../../canon/operation-response.ts"
import type { OperationResponse, OperationCall } from "../../../canon/operation.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { encodeForm, type OutgoingField } from "../../../wire/encode-form.ts"
import { decodeImageError } from "../errors.ts"
import {
  callsOf,
  notSupported,
  outgoingImage,
  promptOf,
  rejectMoreImages,
  VARIATION_EMULATED,
} from "./encoding.ts"
import { imagesOfData, usageOfResponses } from "./images.ts"
import type { OpenAiFamily } from "./openai-families.ts"
import { nearestSize, SIZE_APPROXIMATED } from "./sizes.ts"
import { countOf } from "../../shared/usage.ts"

/**
 * Creates the format of OpenAI's image API, which accepts generations as JSON and edits and variations as forms
 * (docs/contribute/wire/images.md#f1).
 * @param families the families of models. The first one that matches a model's name applies.
 */
export function openAiImages(families: readonly OpenAiFamily[]): ImageFormat {
  return {
    tasks: ALL_TASKS,
    encode(request, model) {
      const family = familyOf(model, families)
      const losses: Loss[] = []
      const fields = fieldsOf(request, model, family, losses)
      const task = taskOf(request, model, family, losses)
      if (canStream(request, family)) {
        fields["stream"] = true
        fields["partial_images"] = request.stream?.drafts ?? 0
      }
      const calls = callsOf(request, family.maxPerCall, (count) =>
        task === "generation"
          ? jsonCall("/images/generations", { ...fields, n: count })
          : formCall(task, request, { ...fields, n: count }),
      )
      return { calls, losses }
    },
    sent(request, model) {
      const family = familyOf(model, families)
      const { quality: _, ...others } = request.options
      const options = family.drops.includes("quality") ? others : request.options
      return { ...request, size: sentSize(request, family) ?? "auto", options }
    },
    streams: (request, model) => canStream(request, familyOf(model, families)),
    decode: decodeImages,
    usageIn: imageUsageIn,
    decodeError: decodeImageError,
  }
}

/**
 * Whether the vendor can stream the images. Only a single image can be streamed, because events do not identify their
 * image.
 */
function canStream({ stream, count, task }: ImageRequest, { streams }: OpenAiFamily): boolean {
  return stream !== undefined && streams && count === 1 && task !== "variation"
}

/** Decodes images from a server with OpenAI's format. The usage is absent if the server reported no tokens. */
export function decodeImages(responses: readonly OperationResponse[]): ImageResult {
  const bodies = responses.map(jsonOf)
  const answered = bodies.map((body) => ({
    images: imagesOfData(body),
    usage: imageUsageIn(body),
  }))
  const counted = usageOfResponses(answered)
  const facts: JsonObject = {}
  for (const name of FACTS) {
    const value = bodies[0]?.[name]
    if (isDefined(value)) facts[name] = value
  }
  return {
    images: answered.flatMap(({ images }) => images),
    ...counted,
    ...(counted.usage && { usageDetails: detailsOf(bodies) }),
    facts,
  }
}

/** Returns the vendor's breakdown of tokens; empty for several calls. */
function detailsOf(bodies: readonly JsonObject[]): JsonObject {
  const [body, ...others] = bodies
  const usage = body && others.length === 0 ? objectAt(body, "usage") : undefined
  const details: JsonObject = {}
  for (const name of ["input_tokens_details", "output_tokens_details"]) {
    const detail = usage && objectAt(usage, name)
    if (detail) details[name] = detail
  }
  return details
}

/** Members of a response that describe all of its images (OpenAI's `ImagesResponse`). */
const FACTS = ["background", "output_format", "quality", "size"]

function familyOf(model: string, families: readonly OpenAiFamily[]): OpenAiFamily {
  const name = model.toLowerCase()
  const family = families.find(({ models }) => models.test(name))
  if (family === undefined) throw new Error(`no family for the image model ${model}`)
  return family
}

/** Returns the endpoint and the fields for a request, depending on the family. */
function taskOf(
  request: ImageRequest,
  model: string,
  family: OpenAiFamily,
  losses: Loss[],
): "generation" | "edit" | "variation" {
  const { task } = request
  if (task === "generation" || (task === "variation" && family.variations)) return task
  if (family.maxImages === 0) throw notSupported(request, model)
  rejectMoreImages(request, model, family.maxImages)
  if (task === "variation") losses.push(VARIATION_EMULATED)
  return "edit"
}

function fieldsOf(
  request: ImageRequest,
  model: string,
  family: OpenAiFamily,
  losses: Loss[],
): JsonObject {
  const fields: JsonObject = { model }
  if (request.task !== "variation" || !family.variations) fields["prompt"] = promptOf(request)
  const size = sizeOf(request, family, losses)
  if (size !== undefined) fields["size"] = size
  if (family.responseFormat) fields["response_format"] = request.form
  for (const [name, value] of Object.entries(request.options)) {
    if (!isDefined(value)) continue
    if (family.drops.includes(name)) losses.push({ name, effect: "dropped" })
    else fields[name] = value
  }
  return fields
}

function sizeOf(request: ImageRequest, family: OpenAiFamily, losses: Loss[]): string | undefined {
  const wanted = wantedSize(request)
  const sent = sentSize(request, family)
  if (wanted === undefined || sent === undefined) return "auto"
  if (sizeName(sent) !== sizeName(wanted)) losses.push(SIZE_APPROXIMATED)
  return sizeName(sent)
}

/** Returns the size to send; undefined if the model chooses the size. */
function sentSize(
  request: ImageRequest,
  { sizes, takesSize }: OpenAiFamily,
): ImageSize | undefined {
  const wanted = wantedSize(request)
  if (wanted === undefined || sizes === undefined || takesSize?.(wanted) === true) return wanted
  return nearestSize(wanted, sizes)
}

function formCall(
  task: "edit" | "variation",
  { images, mask }: ImageRequest,
  fields: JsonObject,
): OperationCall {
  // One image is sent in the form that every server accepts. Several images are sent as OpenAI's client sends them.
  const field = images.length === 1 ? "image" : "image[]"
  const files = images.map((image, index) => outgoingImage(field, `image-${index}`, image))
  if (mask !== undefined) files.push(outgoingImage("mask", "mask", mask))
  const texts = Object.entries(fields).map(([name, value]): OutgoingField => [
    name,
    typeof value === "string" ? value : textOf(value),
  ])
  const form = encodeForm(texts, files)
  const { contentType, open } = form
  return {
    path: task === "edit" ? "/images/edits" : "/images/variations",
    body: { type: "bytes", contentType, bytes: open },
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ""
}

export function imageUsageIn(body: JsonObject): Usage | undefined {
  return imageUsage(objectAt(body, "usage"))
}

/**
 * Decodes `ImageGenUsage`. OpenRouter uses the names of chat completions. Output tokens without a breakdown all count
 * as image tokens.
 */
export function imageUsage(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined
  const input = quantityOf(usage["input_tokens"] ?? usage["prompt_tokens"])
  const output = quantityOf(usage["output_tokens"] ?? usage["completion_tokens"])
  if (input === undefined || output === undefined) return undefined
  const details = objectAt(usage, "input_tokens_details")
  const imageInput = Math.min(countOf(details?.["image_tokens"]), input)
  const written =
    objectAt(usage, "output_tokens_details") ?? objectAt(usage, "completion_tokens_details")
  const images = countOf(written?.["image_tokens"])
  const imageOutput = images === 0 ? output : Math.min(images, output)
  return {
    ...NO_USAGE,
    inputFresh: input - imageInput,
    imageInput,
    output: output - imageOutput,
    imageOutput,
  }
}
