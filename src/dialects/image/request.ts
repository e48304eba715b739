import * as z from "zod"
import { GatewayError } from "../../canon/errors.ts"
import type {
  ImageRequest,
  ImageTask,
  ImageForm,
  ImageSize,
  ImageStream,
} from "../../canon/image.ts"
import { invalidValue, missingParameter, unsupportedValue } from "../../canon/invalid-request.ts"
import { isDefined, type JsonObject, textAt, unknownFields } from "../../canon/json.ts"
import { flag, integer, text, parameterSchemas, validateParameters } from "../shared/parameters.ts"
import { IMAGE_COUNT_NAMES } from "../shared/deciding-fields.ts"

/** The fields of a request without its files, which are validated separately. */
export interface ImageParameters extends Omit<ImageRequest, "images" | "mask"> {
  /** The requested model; absent if the operator's default model is used. */
  readonly model?: string
}

/** The type of each field of a form, because forms transfer all fields as text. */
export const IMAGE_FIELD_KINDS = {
  n: "number",
  output_compression: "number",
  partial_images: "number",
  seed: "number",
  stream: "flag",
} as const

const FORMS: readonly ImageForm[] = ["url", "b64_json"]
const MAX_IMAGES = 10
/** Maximum drafts of a streamed image (OpenAI's OpenAPI description, `PartialImages`). */
const MAX_DRAFTS = 3
/** Maximum pixels per side. No model generates a larger image. */
const MAX_SIDE_PIXELS = 8192
const SIZE = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/
/** Sizes of variations (docs/use/endpoints.md#images). */
const VARIATION_SIZES = ["256x256", "512x512", "1024x1024"]

/** Fields that the canon can represent, and fields that only streams have. */
const NAMED_FIELDS = new Set([
  "model",
  "prompt",
  "n",
  "size",
  "response_format",
  "stream",
  "partial_images",
])

const PARAMETERS = parameterSchemas(
  () => ({
    model: text(),
    prompt: text(),
    n: integer({ minimum: 1, maximum: MAX_IMAGES }),
    size: text(),
    response_format: z.enum(FORMS).nullish(),
    background: text(),
    input_fidelity: text(),
    moderation: text(),
    output_compression: integer({ minimum: 0, maximum: 100 }),
    output_format: text(),
    partial_images: integer({ minimum: 0, maximum: MAX_DRAFTS }),
    quality: text(),
    stream: flag(),
    style: text(),
    user: text(),
  }),
  { own: NAMED_FIELDS, others: { names: IMAGE_COUNT_NAMES, instead: "n" } },
)

/**
 * Validates the fields of a request for images in OpenAI's format (docs/use/endpoints.md#images;
 * docs/contribute/wire/images.md#f1). Fields that the canon lacks are options, which the vendor validates. Null counts
 * as absent.
 * @param defaultForm the form of images if the caller does not name one.
 * @throws GatewayError with OpenAI's message for the invalid field.
 */
export function decodeImageParameters(
  task: ImageTask,
  body: JsonObject,
  defaultForm: ImageForm = "url",
): ImageParameters {
  validateParameters(body, PARAMETERS)
  const { n, response_format: form } = body
  const stream = readStream(task, body)
  const prompt = textAt(body, "prompt")
  if (prompt === undefined && task !== "variation") throw missingParameter("prompt")
  const model = textAt(body, "model")
  const size = typeof body.size === "string" ? readSize(task, body.size) : undefined
  return {
    task,
    prompt: task === "variation" ? "" : (prompt ?? ""),
    count: typeof n === "number" ? n : 1,
    // An event cannot contain a link.
    form: stream ? "b64_json" : form === "url" || form === "b64_json" ? form : defaultForm,
    options: unknownFields(body, NAMED_FIELDS) ?? {},
    ...(isDefined(model) && { model }),
    ...(size !== undefined && { size }),
    ...(stream && { stream }),
  }
}

function readStream(task: ImageTask, body: JsonObject): ImageStream | undefined {
  const { stream, partial_images: drafts, response_format: form } = body
  if (stream !== true) return undefined
  if (task === "variation") {
    throw invalidValue(
      "stream",
      "Variations cannot be streamed. Remove 'stream' to receive all of them in one response.",
    )
  }
  if (form === "url") {
    throw new GatewayError(
      "invalid_parameter_combination",
      "A stream returns images only as base64: leave out 'response_format' or 'stream'.",
      { parameter: "response_format" },
    )
  }
  return { drafts: typeof drafts === "number" ? drafts : 0 }
}

function readSize(task: ImageTask, name: string): ImageSize | "auto" {
  if (task === "variation" && !VARIATION_SIZES.includes(name)) {
    throw unsupportedValue("size", name, VARIATION_SIZES)
  }
  if (name === "auto") return name
  const [, width, height] = SIZE.exec(name) ?? []
  const size = { width: Number(width), height: Number(height) }
  if (size.width <= MAX_SIDE_PIXELS && size.height <= MAX_SIDE_PIXELS) return size
  throw invalidValue(
    "size",
    `Invalid value: '${name.slice(0, 100)}'. A size is a width and a height in pixels, at most ` +
      `${MAX_SIDE_PIXELS} each, such as '1024x1024'.`,
  )
}
