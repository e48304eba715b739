import type { Price } from "./price.ts"

/** What an image's rate depends on. */
export interface ImageKind {
  /** `1024x1024`; absent when the model chooses. */
  readonly size?: string
  /** In the vendor's words; absent when the model chooses. */
  readonly quality?: string
}

/**
 * The price of one kind of image: its rate of `images` is that of the requested size and quality. Where the
 * caller leaves one open, the dearest matching rate applies, unless there is a rate for exactly that.
 */
export function priceOfImages(price: Price, kind: ImageKind): Price {
  const { pictures, ...others } = price
  if (pictures === undefined) return price
  const images = rateOfImages(pictures, kind)
  if (images === undefined) return others
  const rates = { ...price.rates, images }
  const tiers = price.tiers.map((tier) => ({ ...tier, rates: { ...tier.rates, images } }))
  return { ...others, rates, tiers }
}

/** A size of any quality. */
const SIZE = /^\d+x\d+$/

function rateOfImages(
  pictures: ReadonlyMap<string, bigint>,
  { size, quality }: ImageKind,
): bigint | undefined {
  const known = quality === "auto" ? undefined : quality
  if (size !== undefined && known !== undefined) {
    return pictures.get(`${size}/${known}`) ?? pictures.get(size) ?? pictures.get(known)
  }
  if (size !== undefined) {
    return pictures.get(size) ?? dearest(pictures, (name) => name.startsWith(`${size}/`))
  }
  if (known === undefined) return dearest(pictures, () => true)
  return dearest(
    pictures,
    (name) => name === known || SIZE.test(name) || name.endsWith(`/${known}`),
  )
}

function dearest(
  pictures: ReadonlyMap<string, bigint>,
  isMeant: (name: string) => boolean,
): bigint | undefined {
  let max: bigint | undefined
  for (const [name, rate] of pictures) {
    if (isMeant(name) && (max === undefined || rate > max)) max = rate
  }
  return max
}
