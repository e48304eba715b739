import type { ImageSize } from "./image-size.ts"

/**
 * Returns the maximum tokens of an image with a given size. If both sides are infinite, it returns the maximum over all
 * sizes.
 */
type ImageRule = (size: ImageSize, detail: string) => number

interface ImageFamily {
  /** Matches the lowercase model id. */
  readonly models: RegExp
  readonly rule: ImageRule
}

/**
 * Counts tiles as in OpenAI's vision guide ("Calculating costs"). The image is scaled to fit into 2048 px, with a
 * shorter side of 768 px. An image costs a base number of tokens, and more for each 512 px tile. Smaller images are
 * assumed to be enlarged, which costs more. With the detail `low`, an image costs only the base.
 */
function tiles(base: number, perTile: number): ImageRule {
  return ({ width, height }, detail) => {
    if (detail === "low") return base
    const ratio = Math.max(width, height) / Math.min(width, height)
    // The ratio of two infinite sides is NaN. The size with the most tiles, 2048 x 768, is then assumed.
    const longer = Number.isNaN(ratio) ? 2048 : Math.min(2048, 768 * ratio)
    const shorter = Math.min(768, 2048 / (Number.isNaN(ratio) ? 1 : ratio))
    return base + perTile * Math.ceil(longer / 512) * Math.ceil(shorter / 512)
  }
}

/**
 * Counts patches as in OpenAI's vision guide for newer and smaller models. Each patch of 32 px costs one token, up to a
 * maximum, multiplied by the model's factor.
 */
function patches(factor: number, max: number): ImageRule {
  return (size) => Math.ceil(factor * Math.min(max, grid(size, 32)))
}

/** Maximum patches of an image at its original size, which GPT-5.4 and later models may process. */
const ORIGINAL_PATCHES = 10_000

function gpt5(size: ImageSize, detail: string): number {
  const max = detail === "high" || detail === "low" ? 2_500 : ORIGINAL_PATCHES
  return Math.max(tiles(70, 140)(size, "high"), patches(1, max)(size, detail))
}

/** Returns the number of patches of an image, plus one per row for models with row breaks. */
function grid({ width, height }: ImageSize, side: number): number {
  return Math.ceil(height / side) * Math.ceil(width / side)
}

function gridWithBreaks(size: ImageSize, side: number): number {
  return grid(size, side) + Math.ceil(size.height / side) + 1
}

/**
 * Returns the tokens for an unknown model: the maximum over open models and other vendors. Qwen-VL and Mistral Small
 * use patches of 28 px. Qwen-VL uses up to 16,384 of them (its default `max_pixels`). Pixtral shrinks an image to 1024
 * px and uses patches of 16 px, up to 4,160 with row breaks. Anthropic uses width x height / 750, up to 4,784. Gemini 3
 * uses up to 2,240 for any size. OpenAI's values of up to 48,000 are left out, because they apply only to the mini
 * model, at a lower price.
 */
function unknownModel(size: ImageSize): number {
  const fixed = 2_240
  const pixtral = Math.min(4_160, gridWithBreaks(size, 16))
  return Math.min(16_384, Math.max(fixed, pixtral, gridWithBreaks(size, 28)))
}

/** Families of models. The first match applies. Numbers are from OpenAI's vision guide unless noted otherwise. */
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

/** Returns the maximum input tokens of an image of this size. */
export function tokensOfSize(size: ImageSize, detail: string, model: string): number {
  const id = model.toLowerCase()
  const rule = FAMILIES.find(({ models }) => models.test(id))?.rule ?? unknownModel
  return rule(size, detail)
}
