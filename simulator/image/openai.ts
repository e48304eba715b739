import type { Exchange } from "../exchange.ts"
import { type SentFile, type SentForm, readForm } from "../form.ts"
import { readBase64 } from "../images.ts"
import { type JsonObject, objectOf, stringOf } from "../json.ts"
import { answerJson, type Answered, type JsonOperation, unknownField } from "../json-operation.ts"
import { OPENAI } from "../manners.ts"
import { credentialError, faultError, invalid, reject } from "../openai-chat/errors.ts"
import { vendorResponse } from "../openai-chat/headers.ts"
import { dueFault, wholeBody } from "../play.ts"
import { countTokens } from "../tokens.ts"
import { playTransportFault } from "../transport-faults.ts"
import { bodyOf, type StreamScript, streamSteps } from "../stream.ts"
import { drawPng, type Size, sizeOf } from "./draw.ts"
import { linkTo } from "./links.ts"
import { DRAFT_TOKENS, faultOfStream, forbiddenScript, imageScript } from "./openai-events.ts"

/** The properties of a family of models at OpenAI (docs/contribute/wire/images.md#f1). */
interface Family {
  readonly models: RegExp
  readonly fields: readonly string[]
  readonly sizes: readonly string[]
  readonly max: number
  /** Whether models of the family always return base64 and report tokens. */
  readonly isGptImage: boolean
  readonly revises: boolean
  readonly edits: boolean
  readonly variations: boolean
}

const GPT: Family = {
  models: /(?:)/,
  fields:
    "model prompt n size quality background moderation output_format output_compression user input_fidelity stream partial_images".split(
      " ",
    ),
  sizes: ["auto", "1024x1024", "1536x1024", "1024x1536"],
  max: 10,
  isGptImage: true,
  revises: false,
  edits: true,
  variations: false,
}

const FAMILIES: readonly Family[] = [
  {
    models: /^dall-e-3/,
    fields: "model prompt n size quality style response_format user".split(" "),
    sizes: ["1024x1024", "1792x1024", "1024x1792"],
    max: 1,
    isGptImage: false,
    revises: true,
    edits: false,
    variations: false,
  },
  {
    models: /^(dall-e-2|plain)/,
    fields: "model prompt n size response_format user".split(" "),
    sizes: ["256x256", "512x512", "1024x1024"],
    max: 10,
    isGptImage: false,
    revises: false,
    edits: true,
    variations: true,
  },
  GPT,
]

function familyOf(model: string): Family {
  return FAMILIES.find(({ models }) => models.test(model)) ?? GPT
}

/** Returns OpenAI's error for the fields of a request; undefined if the fields are valid. */
function fault(fields: JsonObject, family: Family): string | undefined {
  const unknown = unknownField(fields, family.fields)
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`
  const count = Number(fields["n"] ?? 1)
  if (!(count >= 1 && count <= family.max)) {
    return `Invalid 'n': expected 1 to ${family.max}, but got ${count}.`
  }
  const size = stringOf(fields["size"]) || "auto"
  if (!family.sizes.includes(size) && fields["size"] !== undefined) {
    return `Invalid value: '${size}'. Supported values are: ${family.sizes.join(", ")}.`
  }
  return isStreamed(fields) ? faultOfStream(fields) : undefined
}

/** Whether a stream is requested. In forms, the value is a text. */
function isStreamed(fields: JsonObject): boolean {
  return String(fields["stream"]) === "true"
}

/** Returns the response as events. */
function streamed(
  exchange: Exchange,
  order: Order,
  task: "generation" | "edit",
  reportsUsage: boolean,
): StreamScript {
  const drafts = Number(order.fields["partial_images"] ?? 0)
  const { background, output_format, quality, size: name, usage } = made(exchange, order)
  const size = sizeOf(stringOf(name)) ?? { width: 1024, height: 1024 }
  const output = Number(objectOf(usage)["output_tokens"]) + DRAFT_TOKENS * drafts
  const reported = {
    ...objectOf(usage),
    output_tokens: output,
    output_tokens_details: { image_tokens: output, text_tokens: 0 },
    total_tokens: order.inputTokens + output,
  }
  const script = imageScript({
    task,
    seed: `${order.text} 0`,
    size,
    facts: { background, output_format, quality, size: name },
    ...(reportsUsage && { usage: reported }),
    drafts,
  })
  return order.text.includes("forbidden") ? forbiddenScript([...script.body].map(String)) : script
}

/** Tokens of an image of 1,024 x 1,024 pixels by quality, as recorded. */
const TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160, auto: 4160 }

interface Order {
  readonly fields: JsonObject
  readonly family: Family
  /** The text that the images depend on. */
  readonly text: string
  readonly inputTokens: number
  /** Number of image tokens among the input tokens. */
  readonly imageTokens: number
}

function made(exchange: Exchange, order: Order): JsonObject {
  const { fields, family, text } = order
  const size: Size = sizeOf(stringOf(fields["size"])) ?? { width: 1024, height: 1024 }
  const images = Array.from({ length: Number(fields["n"] ?? 1) }, (_, index) => `${text} ${index}`)
  const created = Math.floor(Date.now() / 1000)
  if (!family.isGptImage) {
    const isText = fields["response_format"] === "b64_json"
    const data = images.map((seed) => ({
      ...(isText
        ? { b64_json: drawPng(seed, size).toString("base64") }
        : { url: linkTo(exchange, seed, size) }),
      ...(family.revises && { revised_prompt: `An image of ${text}` }),
    }))
    return { created, data }
  }
  const quality = stringOf(fields["quality"]) || "auto"
  const output = (TOKENS[quality] ?? 4160) * images.length
  return {
    created,
    background: "opaque",
    data: images.map((seed) => ({ b64_json: drawPng(seed, size).toString("base64") })),
    output_format: "png",
    quality: quality === "auto" ? "high" : quality,
    size: `${size.width}x${size.height}`,
    usage: {
      input_tokens: order.inputTokens,
      input_tokens_details: {
        image_tokens: order.imageTokens,
        text_tokens: order.inputTokens - order.imageTokens,
      },
      output_tokens: output,
      output_tokens_details: { image_tokens: output, text_tokens: 0 },
      total_tokens: order.inputTokens + output,
    },
  }
}

/** Returns the operation for `POST /v1/images/generations` in OpenAI's form. */
export function generation(exchange: Exchange, body: JsonObject): JsonOperation {
  const family = familyOf(stringOf(body["model"]))
  return {
    manner: OPENAI,
    respond(fields, played): Answered {
      const text = stringOf(fields["prompt"])
      if (text === "") return { rejected: "Missing required parameter: 'prompt'." }
      const wrong = fault(fields, family)
      if (wrong !== undefined) return { rejected: wrong }
      const tokens = { inputTokens: countTokens(text), imageTokens: 0 }
      const order = { fields, family, text, ...tokens }
      if (isStreamed(fields)) {
        const reportsUsage = played?.name !== "no-usage"
        return { script: streamed(exchange, order, "generation", reportsUsage) }
      }
      const json = made(exchange, order)
      if (played?.name === "no-usage") delete json["usage"]
      return { json }
    },
  }
}

/** Answers `POST /v1/images/edits` and `/v1/images/variations`, whose requests are forms. */
export async function answerImageForm(
  exchange: Exchange,
  task: "edit" | "variation",
): Promise<Response> {
  const form = await readForm(exchange)
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (form === undefined) return reject(exchange, invalid("The body is not a form.", null, null))
  const model = form.fields["model"] ?? "dall-e-2"
  const played = dueFault(exchange, model, stringOf(form.fields["prompt"]))
  if (played !== undefined && played !== "unknown") {
    const response = await playTransportFault(exchange, played)
    if (response !== undefined) return response
    const isEvent = played.name === "stream-error" && isStreamed({ ...form.fields })
    const error = isEvent ? undefined : faultError(played.name, model)
    if (error !== undefined) return reject(exchange, error)
  }
  const family = familyOf(model)
  const wrong = faultOfForm(form, family, task)
  if (wrong !== undefined) return reject(exchange, invalid(wrong, null, null))
  const [image] = imagesOf(form)
  const hash = Bun.hash(image?.bytes ?? "").toString(16)
  const text = `${stringOf(form.fields["prompt"])} ${hash}`
  const imageTokens = 194 * imagesOf(form).length
  const tokens = { inputTokens: countTokens(text) + imageTokens, imageTokens }
  const order = { fields: { ...form.fields }, family, text, ...tokens }
  const known = played === "unknown" ? undefined : played
  if (task === "edit" && isStreamed(order.fields)) {
    const script = streamed(exchange, order, task, known?.name !== "no-usage")
    const steps = streamSteps(script, exchange.cadence, known)
    return vendorResponse(bodyOf(exchange, steps), "stream")
  }
  const json = made(exchange, order)
  return vendorResponse(wholeBody(exchange, JSON.stringify(json), known), "json")
}

function imagesOf(form: SentForm): SentFile[] {
  return form.files.filter(({ field }) => field === "image" || field === "image[]")
}

function faultOfForm(
  form: SentForm,
  family: Family,
  task: "edit" | "variation",
): string | undefined {
  if (task === "variation" ? !family.variations : !family.edits) {
    return "Invalid value: the model does not support this endpoint."
  }
  const { fields } = form
  if (task === "edit" && fields["prompt"] === undefined) {
    return "Missing required parameter: 'prompt'."
  }
  const images = imagesOf(form)
  if (images.length === 0) return "Missing required parameter: 'image'."
  if (!family.isGptImage && images.length > 1) return "Invalid 'image': one image is taken."
  const [image] = images
  const mask = form.files.find(({ field }) => field === "mask")
  const size = image && imageSize(image, family)
  if (size === undefined) return "Uploaded image must be a PNG and less than 4 MB."
  const maskSize = mask && imageSize(mask, family)
  if (mask !== undefined && maskSize !== size) {
    return "Invalid input image - the mask has to be as large as the image."
  }
  return fault({ ...fields }, family)
}

/**
 * Returns the size of an uploaded image, such as `1024x1024`; undefined if its format is not accepted. GPT image models
 * also accept formats other than PNG.
 */
function imageSize({ bytes, type }: SentFile, { isGptImage }: Family): string | undefined {
  const facts = readBase64(Buffer.from(bytes).toString("base64"))
  const kinds = isGptImage ? ["png", "jpeg", "webp"] : ["png"]
  if (facts === undefined || !kinds.includes(facts.kind) || type !== `image/${facts.kind}`) {
    return undefined
  }
  return `${facts.width}x${facts.height}`
}

/** Returns the operation of the vendor that handles a request for `POST /v1/images/generations`. */
export function answerGenerations(
  exchange: Exchange,
  others: (exchange: Exchange, body: JsonObject) => JsonOperation | undefined,
): Promise<Response> {
  return answerJson(exchange, (body) => others(exchange, body) ?? generation(exchange, body))
}
