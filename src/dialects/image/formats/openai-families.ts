import type { ImageSize } from "../../../canon/image.ts"

/** A family of models with OpenAI's format. */
export interface OpenAiFamily {
  /** Matched against the vendor's lowercase name of the model. */
  readonly models: RegExp
  /** The most images per call. */
  readonly maxPerCall: number
  /** Absent: any size is sent. */
  readonly sizes?: readonly ImageSize[]
  /** Whether it accepts `size` in addition to the listed ones. */
  readonly takesSize?: (size: ImageSize) => boolean
  /** Whether it accepts `response_format`; GPT image models refuse it and return base64 (docs/contribute/wire/images.md#f2). */
  readonly responseFormat: boolean
  /** Options that it refuses. */
  readonly drops: readonly string[]
  /** The most input images of an edit; 0: it cannot edit. */
  readonly maxImages: number
  readonly variations: boolean
  /** Whether it sends images as events (`CreateImageRequest.stream`). */
  readonly streams: boolean
}

const SQUARE: ImageSize = { width: 1024, height: 1024 }

/** Options that only GPT image models support (OpenAI's description, `CreateImageRequest`). */
const GPT_OPTIONS = [
  "background",
  "input_fidelity",
  "moderation",
  "output_compression",
  "output_format",
]

/** GPT image models: base64 only, several input images, no variations. */
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

/** From the second generation on, any size within bounds (`CreateImageRequest.size`). */
const GPT_IMAGE_2: OpenAiFamily = {
  ...GPT_IMAGE,
  models: /gpt-image-[2-9]/,
  takesSize: ({ width, height }) =>
    width % 16 === 0 &&
    height % 16 === 0 &&
    width * height <= 3840 * 2160 &&
    Math.max(width, height) <= 3 * Math.min(width, height),
}

/** One image per call, no edits (`CreateImageRequest.n`). */
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

/** The one family with variations (docs/contribute/wire/images.md#f1); it refuses `quality` (recorded). */
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

/** An unknown server with OpenAI's format. */
const UNKNOWN: OpenAiFamily = {
  models: /(?:)/,
  maxPerCall: 10,
  responseFormat: true,
  drops: [],
  maxImages: 1,
  variations: false,
  streams: false,
}

/** The first match applies. */
const NAMED = [GPT_IMAGE_2, GPT_IMAGE, DALL_E_3, DALL_E_2]

/** Families at servers that may have any model. */
export const OPEN_FAMILIES: readonly OpenAiFamily[] = [...NAMED, UNKNOWN]

/** Families at OpenAI and Azure: a model with a custom name is a GPT image model. */
export const OPENAI_FAMILIES: readonly OpenAiFamily[] = [
  ...NAMED,
  { ...GPT_IMAGE, models: UNKNOWN.models },
]
