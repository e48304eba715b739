import type { ImageSize } from "./image-size.ts"

/** The most tokens that an image of a size can cost. `Infinity` on both sides: the largest. */
type ImageRule = (size: ImageSize, detail: string) => number

interface ImageFamily {
  /** Matched against the lowercase model id. */
  readonly models: RegExp
  readonly rule: ImageRule
}

/**
 * OpenAI's vision guide ("Calculating costs"): a base, and so much for each 512 px tile once the
 * image fits into 2048 px and its shorter side is 768 px. A smaller image is taken to be
 * enlarged, which costs more. `low` costs the base alone.
 */
function tiles(base: number, perTile: number): ImageRule {
  return ({ width, height }, detail) => {
    if (detail === "low") return base
    const ratio = Math.max(width, height) / Math.min(width, height)
    // Both sides infinite: the ratio is unknown, and 2048 x 768 has the most tiles.
    const longer = Number.isNaN(ratio) ? 2048 : Math.min(2048, 768 * ratio)
    const shorter = Math.min(768, 2048 / (Number.isNaN(ratio) ? 1 : ratio))
    return base + perTile * Math.ceil(longer / 512) * Math.ceil(shorter / 512)
  }
}

/**
 * OpenAI's vision guide for its newer and smaller models: one for each patch of 32 px, at most so
 * many, times a factor of the model.
 */
function patches(factor: number, max: number): ImageRule {
  return (size) => Math.ceil(factor * Math.min(max, grid(size, 32)))
}

/** From GPT-5.4 on an image may be processed at its original size, which takes up to 10,000 patches. */
const ORIGINAL_PATCHES = 10_000

function gpt5(size: ImageSize, detail: string): number {
  const max = detail === "high" || detail === "low" ? 2_500 : ORIGINAL_PATCHES
  return Math.max(tiles(70, 140)(size, "high"), patches(1, max)(size, detail))
}

/** The patches of an image, and one more for each row, for models with row breaks. */
function grid({ width, height }: ImageSize, side: number): number {
  return Math.ceil(height / side) * Math.ceil(width / side)
}

function gridWithBreaks(size: ImageSize, side: number): number {
  return grid(size, side) + Math.ceil(size.height / side) + 1
}

/**
 * An unknown model: the largest of what open models and other vendors do. Qwen-VL and Mistral Small use patches
 * of 28 px, Qwen-VL up to 16,384 of them (its default `max_pixels`); Pixtral patches of 16 px of an image
 * shrunk to 1024 px, 4,160 with its row breaks; Anthropic takes width x height / 750, up to 4,784; Gemini 3 up
 * to 2,240 whatever the size. OpenAI's figures of up to 48,000 are left out: they apply to the mini alone, at a
 * lower price.
 */
function unknownModel(size: ImageSize): number {
  const fixed = 2_240
  const pixtral = Math.min(4_160, gridWithBreaks(size, 16))
  return Math.min(16_384, Math.max(fixed, pixtral, gridWithBreaks(size, 28)))
}

/** The first family that matches applies. Figures are from OpenAI's vision guide unless noted. */
const FAMILIES: readonly ImageFamily[] = [
  { models: /gpt-4o-mini/, rule: tiles(2833, 5667) },
  { models: /gpt-4\.1-mini/, rule: patches(1.62, 1536) },
  { models: /gpt-4\.1-nano/, rule: patches(2.46, 1536) },
  { models: /gpt-[5-9][\d.]*-mini/, rule: patches(1.62, 1536) },
  { models: /gpt-[5-9][\d.]*-nano/, rule: patches(2.46, 1536) },
  { models: /(^|\/)o4-mini/, rule: patches(1.72, 1536) },
  { models: /(^|\/)o[1-9](-|$)/, rule: tiles(75, 150) },
  { models: /computer-use-preview/, rule: tiles(65, 129) },
  { models: /gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-(turbo|vision)|chatgpt-4o/, rule: tiles(85, 170) },
  { models: /gpt-[5-9]/, rule: gpt5 },
]

/** The most input tokens that an image of this size can cost. */
export function tokensOfSize(size: ImageSize, detail: string, model: string): number {
  const id = model.toLowerCase()
  const rule = FAMILIES.find(({ models }) => models.test(id))?.rule ?? unknownModel
  return rule(size, detail)
}
