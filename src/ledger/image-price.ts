import type { Price } from "./price.ts"

/** The properties of an image that determine its rate. */
export interface ImageKind {
  /** The size, such as `1024x1024`; absent if the model chooses it. */
  readonly size?: string
  /** The vendor's name for the quality, in lowercase; absent if the model chooses it. */
  readonly quality?: string
}

/**
 * Returns the price of one kind of image. The rate of `images` is set to the rate of the requested size and quality. If
 * the request does not specify the size or the quality, an exactly matching rate applies, or else the highest rate that
 * the image may have.
 */
export function priceOfImages(price: Price, kind: ImageKind): Price {
  const { listed } = price
  const priced = ownPriceOfImages(price, kind)
  return listed === undefined ? priced : { ...priced, listed: ownPriceOfImages(listed, kind) }
}

function ownPriceOfImages(price: Price, kind: ImageKind): Price {
  const { imageRates, ...others } = price
  if (imageRates === undefined) return price
  const images = rateOfImages(imageRates, kind) ?? rateOfQuality(price, kind)
  if (images === undefined) return others
  const rates = { ...price.rates, images }
  const tiers = price.tiers.map((tier) => ({ ...tier, rates: { ...tier.rates, images } }))
  return { ...others, rates, tiers }
}

/** Matches a size without a quality. */
const SIZE = /^\d+x\d+$/

function rateOfImages(
  imageRates: ReadonlyMap<string, bigint>,
  { size, quality }: ImageKind,
): bigint | undefined {
  const known = quality === "auto" ? undefined : quality
  if (size !== undefined && known !== undefined) {
    return imageRates.get(`${size}/${known}`) ?? imageRates.get(size) ?? imageRates.get(known)
  }
  if (size !== undefined) {
    return imageRates.get(size) ?? highestRate(imageRates, (name) => name.startsWith(`${size}/`))
  }
  if (known === undefined) return highestRate(imageRates, () => true)
  return highestRate(
    imageRates,
    (name) => name === known || SIZE.test(name) || name.endsWith(`/${known}`),
  )
}

/** Returns the highest rate of a quality, for sizes that have no rate; undefined if the usual rate is higher. */
function rateOfQuality({ imageRates = new Map(), rates }: Price, { quality }: ImageKind) {
  if (quality === undefined) return undefined
  const rate = highestRate(imageRates, (name) => name.endsWith(`/${quality}`))
  const { images: usual = 0n } = rates
  return rate === undefined || usual > rate ? undefined : rate
}

function highestRate(
  imageRates: ReadonlyMap<string, bigint>,
  isMeant: (name: string) => boolean,
): bigint | undefined {
  let max: bigint | undefined
  for (const [name, rate] of imageRates) {
    if (isMeant(name) && (max === undefined || rate > max)) max = rate
  }
  return max
}
