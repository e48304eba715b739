import type { ImageSize } from "../../../canon/image.ts"

/** A family of models that use OpenAI's format. */
export interface OpenAiFamily {
  /** Matches the vendor's name of the model in lowercase. */
  readonly models: RegExp
  /** Maximum images per call. */
  readonly maxPerCall: number
  /** Sizes that the models accept; if absent, any size is sent. */
  readonly sizes?: readonly ImageSize[]
  /** Whether the models accept a size that is not in `sizes`. */
  readonly takesSize?: (size: ImageSize) => boolean
  /**
   * Whether the models accept `response_format`. GPT image models reject it and return base64
   * (docs/contribute/wire/images.md#f2).
   */
  readonly responseFormat: boolean
  /** Options that the models reject. */
  readonly drops: readonly string[]
  /** Maximum input images of an edit; 0 if the models cannot edit. */
  readonly maxImages: number
  readonly variations: boolean
  /** Whether the models send images as events (`CreateImageRequest.stream`). */
  readonly streams: boolean
}

const SQUARE: ImageSize = { width: 1024, height: 1024 }

/** Options that only GPT image models support (OpenAI's OpenAPI description, `CreateImageRequest`). */
const GPT_OPTIONS = [
  "background",
  "input_fidelity",
  "moderation",
  "output_compression",
  "output_format",
]

/** GPT image models return base64 only, accept several input images, and have no variations. */
const GPT_IMAGE: OpenAiFamily = {
  models: /gpt-image|chatgpt-image/,
  maxPerCall: 10,
  sizes: [SQUARE, { width: 1536, height: 1024 }, { width: 1024, height: 1536 }],
  responseFormat: false,
  drops: ["style"],
  maxImages: 16,
  variations: false,
  streams: true,
}

/** GPT image models since the second generation accept any size within bounds (`CreateImageRequest.size`). */
const GPT_IMAGE_2: OpenAiFamily = {
  ...GPT_IMAGE,
  models: /gpt-image-[2-9]/,
  takesSize: ({ width, height }) =>
    width % 16 === 0 &&
    height % 16 === 0 &&
    width * height <= 3840 * 2160 &&
    Math.max(width, height) <= 3 * Math.min(width, height),
}

/** DALL-E 3 generates one image per call and cannot edit (`CreateImageRequest.n`). */
const DALL_E_3: OpenAiFamily = {
  models: /dall-e-3/,
  maxPerCall: 1,
  sizes: [SQUARE, { width: 1792, height: 1024 }, { width: 1024, height: 1792 }],
  responseFormat: true,
  drops: GPT_OPTIONS,
  maxImages: 0,
  variations: false,
  streams: false,
}

/** DALL-E 2 is the only family with variations (docs/contribute/wire/images.md#f1). It rejects `quality` (recorded). */
const DALL_E_2: OpenAiFamily = {
  models: /dall-e-2/,
  maxPerCall: 10,
  sizes: [{ width: 256, height: 256 }, { width: 512, height: 512 }, SQUARE],
  responseFormat: true,
  drops: [...GPT_OPTIONS, "quality", "style"],
  maxImages: 1,
  variations: true,
  streams: false,
}

/** Models of an unknown server that uses OpenAI's format. */
const UNKNOWN: OpenAiFamily = {
  models: /(?:)/,
  maxPerCall: 10,
  responseFormat: true,
  drops: [],
  maxImages: 1,
  variations: false,
  streams: false,
}

/** Families that are recognized by name. The first match applies. */
const NAMED = [GPT_IMAGE_2, GPT_IMAGE, DALL_E_3, DALL_E_2]

/** Families for servers that may have any model. */
export const OPEN_FAMILIES: readonly OpenAiFamily[] = [...NAMED, UNKNOWN]

/** Families for OpenAI and Azure. A model with a custom name is treated as a GPT image model. */
export const OPENAI_FAMILIES: readonly OpenAiFamily[] = [
  ...NAMED,
  { ...GPT_IMAGE, models: UNKNOWN.models },
]
