import type { ImageSize } from "../canon/image.ts"

/** Maximum output tokens of an image for a family of models, by quality and size. */
interface ImageFamily {
  /** Matches the lowercase model id. */
  readonly models: RegExp
  /** Tokens of an image of 1,024 x 1,024 pixels by quality. The entry `""` applies if the quality is unknown. */
  readonly perSquare: Readonly<Record<string, number>>
  /** The largest size that the model can choose. */
  readonly largest: ImageSize
  /** Returns the tokens of an image of a given size, from the tokens of a square. */
  readonly sized: (square: number, size: ImageSize) => number
  /** Tokens of the text that accompanies an image: the model's reasoning, or its response. */
  readonly text: number
}

/**
 * Tokens of a square image of low, medium and high quality: 272, 1,056 and 4,160 (OpenAI's image generation guide,
 * "Cost and latency"). The tokens of other shapes are proportional to their pixels. Recorded responses agree, and have
 * up to 262 tokens of text in addition.
 */
const OPENAI_SQUARE = { low: 272, medium: 1_056, high: 4_160, "": 4_160 }

/**
 * Tokens of a square image by quality, for newer models. Their high quality is the `max` quality of the newest ones.
 * The tokens of other sizes are not proportional to their pixels.
 */
const NEWER_SQUARE = { low: 196, medium: 1_756, "": 7_024 }

/** Families of models. The first match applies. */
const FAMILIES: readonly ImageFamily[] = [
  {
    models: /gpt-image-[2-9]/,
    perSquare: NEWER_SQUARE,
    // The square with as many pixels as the largest size, 3840 x 2160.
    largest: { width: 2880, height: 2880 },
    sized: newerTokens,
    text: 2_048,
  },
  {
    models: /gpt-image|chatgpt-image/,
    perSquare: OPENAI_SQUARE,
    largest: { width: 1536, height: 1024 },
    sized: byPixels,
    text: 2_048,
  },
  {
    // Google's price page lists 1,290 tokens for the older model. The newer models have 1,120 tokens up to 2K and 2,000
    // at 4K, and reason first (398 tokens as recorded).
    models: /gemini/,
    perSquare: { "": 2_520 },
    largest: { width: 4096, height: 4096 },
    sized: (square) => square,
    text: 8_192,
  },
]

/**
 * Minimum bound for models of an unknown family, such as deployments at Azure with custom names. If an image of a known
 * family can have more tokens, that family's bound applies.
 */
const UNKNOWN_BOUND = 16_384

/** Tokens that are charged for an image of a model of an unknown family, if the vendor reports no tokens. */
const UNKNOWN_TOKENS = 8_192

/** Minimum output tokens of an image from a chat model. Gemini's newer models use 1,120. */
export const MIN_IMAGE_TOKENS = 1_024

/** Maximum tokens of an input image, which is large and in high detail. */
const INPUT_IMAGE = 8_192

const SQUARE_PIXELS = 1024 * 1024

/**
 * Returns the maximum output tokens of one image.
 * @param size absent if the model chooses the size.
 * @param quality the quality in the vendor's terms; absent if the model chooses it.
 */
export function imageTokenBound(
  model: string,
  size: ImageSize | undefined,
  quality: string | undefined,
): number {
  const family = familyOf(model)
  if (family !== undefined) return boundIn(family, size, quality)
  const bounds = FAMILIES.map((each) => boundIn(each, size && smaller(size, each.largest), quality))
  return Math.max(UNKNOWN_BOUND, ...bounds)
}

function smaller(left: ImageSize, right: ImageSize): ImageSize {
  return left.width * left.height <= right.width * right.height ? left : right
}

function boundIn(
  { perSquare, largest, sized, text }: ImageFamily,
  size: ImageSize | undefined,
  quality: string | undefined,
): number {
  const known = quality !== undefined && Object.hasOwn(perSquare, quality) ? quality : ""
  const square = perSquare[known] ?? 0
  return Math.ceil(sized(square, size ?? largest)) + text
}

function byPixels(square: number, { width, height }: ImageSize): number {
  return square * Math.max(1, (width * height) / SQUARE_PIXELS)
}

/**
 * Returns the tokens by the calculator of OpenAI's image generation guide ("gpt-image-2 output tokens"). The longer
 * side has as many patches as the side of a square of the same quality, and the shorter side proportionally fewer. The
 * number of tokens per patch depends on the pixels.
 */
function newerTokens(square: number, { width, height }: ImageSize): number {
  const patches = Math.round(Math.sqrt(square / tokensPerPatch(SQUARE_PIXELS)))
  const shorter = Math.round((patches * Math.min(width, height)) / Math.max(width, height))
  return patches * shorter * tokensPerPatch(width * height)
}

function tokensPerPatch(pixels: number): number {
  return (2_000_000 + pixels) / 4_000_000
}

/** Returns the output tokens of a generated image of unknown size and quality. */
export function imageTokens(model: string): number {
  return familyOf(model)?.perSquare[""] ?? UNKNOWN_TOKENS
}

function familyOf(model: string): ImageFamily | undefined {
  const id = model.toLowerCase()
  return FAMILIES.find(({ models }) => models.test(id))
}

/**
 * Returns the maximum input tokens of a prompt, including text that a vendor adds.
 * @param bytes size of the prompt in bytes.
 */
export function promptBound(bytes: number): number {
  return bytes + 512
}

/** Returns the maximum input tokens of the images in a request. */
export function imageInputBound(images: number): number {
  return images * INPUT_IMAGE
}
