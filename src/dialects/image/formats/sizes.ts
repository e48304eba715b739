import type { Loss } from "../../../canon/extra.ts"
import {
  DEFAULT_SIZE,
  type ImageRequest,
  type ImageSize,
  sizeName,
  wantedSize,
} from "../../../canon/image.ts"

/** The loss for a size that the vendor matches only approximately. */
export const SIZE_APPROXIMATED: Loss = Object.freeze({ name: "size", effect: "approximated" })

/** A vendor's equivalent of a size, and whether the two are equal. */
export interface Fitted<T> {
  readonly value: T
  readonly isExact: boolean
}

/** Returns the nearest of a vendor's aspect ratios, such as `16:9`. */
export function nearestRatio(size: ImageSize, ratios: readonly string[]): Fitted<string> {
  const found = nearest(size, ratios.map(shapeOf))
  const { width, height } = found
  const isExact = size.width * height === size.height * width
  return { value: `${width}:${height}`, isExact }
}

/** Returns the nearest of a vendor's sizes, by shape first and then by area. */
export function nearestSize(size: ImageSize, sizes: readonly ImageSize[]): ImageSize {
  return nearest(size, sizes)
}

/** Returns the aspect ratio for a vendor without sizes, and reports the loss of a requested size. */
export function ratioOf(
  request: ImageRequest,
  ratios: readonly string[],
  losses: Loss[],
): string | undefined {
  const size = wantedSize(request)
  if (size === undefined) return undefined
  const { value, isExact } = nearestRatio(size, ratios)
  // An aspect ratio does not determine the number of pixels, so only the default size is exact.
  const isDefault = sizeName(size) === sizeName(DEFAULT_SIZE)
  if (request.size !== undefined && !(isExact && isDefault)) losses.push(SIZE_APPROXIMATED)
  return value
}

/**
 * Replaces a size other than the default with `auto`, because a vendor that only accepts aspect ratios chooses the
 * pixels.
 */
export function sentRatio(request: ImageRequest): ImageRequest {
  const size = wantedSize(request)
  const isDefault = size !== undefined && sizeName(size) === sizeName(DEFAULT_SIZE)
  return isDefault ? request : { ...request, size: "auto" }
}

function shapeOf(ratio: string): ImageSize {
  const [width = 1, height = 1] = ratio.split(":").map(Number)
  return { width, height }
}

function nearest(size: ImageSize, among: readonly ImageSize[]): ImageSize {
  let best = DEFAULT_SIZE
  let min = Infinity
  for (const candidate of among) {
    const distance = distanceOf(size, candidate)
    if (distance >= min) continue
    min = distance
    best = candidate
  }
  return best
}

/** Weight of the shape relative to the area. A factor of two in shape is worse than any difference in area. */
const SHAPE_WEIGHT = 1_000

function distanceOf(left: ImageSize, right: ImageSize): number {
  const shape = Math.abs(Math.log((left.width * right.height) / (left.height * right.width)))
  const area = Math.abs(Math.log((left.width * left.height) / (right.width * right.height)))
  return shape * SHAPE_WEIGHT + area
}
