import type { DecimalText } from "#contract/decimal.ts"
import type { PeriodTimes } from "#contract/price-periods.ts"
import {
  PRICE_NAMES,
  type PriceName,
  SERVICE_PRICE_NAMES,
  type ServicePriceName,
  TOKEN_PRICE_NAMES,
  type TokenPriceName,
} from "#contract/usage-classes.ts"
import { dayHours, periodScalars, weekday } from "../price-periods.ts"
import type { Output } from "../reading.ts"
import { amount, minimumSeconds, wholeNumber } from "../scalars.ts"
import { either, entry, label, list, name, present, record } from "../shapes.ts"
import { MULTIPLIER } from "./pricing.ts"

const PRICE_PLACES = 9

const rate = amount(PRICE_PLACES).optional()
const rates = Object.fromEntries(PRICE_NAMES.map((name) => [name, rate])) as Record<
  PriceName,
  typeof rate
>
/**
 * Prices that replace the base prices for the entire request if its input is longer than `above`.
 */
const tier = entry({ above: wholeNumber(1, Infinity), ...rates })
/** A single price for all images, or a price for each kind of image. */
const imagePrice = either(
  amount(PRICE_PLACES),
  record(
    name(
      /^(default|([1-9]\d*x[1-9]\d*)(\/[\w-]+)?|[a-z][\w-]*)$/,
      "an image kind is a size, a quality or both, such as 1024x1024/hd, or default",
    ),
    amount(PRICE_PLACES),
  ),
)
const MODE_NAME = name(
  /^[a-z][a-z0-9_-]*$/,
  "a service mode has a name in lowercase letters, such as priority, flex or fast",
)
const tokenRates = Object.fromEntries(TOKEN_PRICE_NAMES.map((name) => [name, rate])) as Record<
  TokenPriceName,
  typeof rate
>
/** Rates in a service mode. Classes and tiers without a rate cost as much as outside of the mode, or more. */
const modeRates = entry({
  ...tokenRates,
  tiers: list(entry({ above: wholeNumber(1, Infinity), ...tokenRates })).optional(),
})
/** Service modes `priority`, `flex` and `fast`. Each has a factor on the token rates, or its own rates. */
const modes = record(MODE_NAME, either(MULTIPLIER, modeRates))
const modeFactors = record(MODE_NAME, MULTIPLIER)
export type ModeTable = Readonly<Output<typeof modes>>

/** Credits per million units of each class. */
type PriceTable = Readonly<Partial<Record<PriceName, DecimalText>>>

const card = {
  ...rates,
  image: imagePrice.optional(),
  minimum_seconds: minimumSeconds().optional(),
  tiers: list(tier).optional(),
  /** Service modes; if absent, the known modes of the model and its vendor. */
  modes: modes.optional(),
}

/** The prices of a model or of one of its periods. */
export interface PriceCardSettings extends PriceTable {
  /** Minimum number of seconds charged per audio request, as a whole number. */
  readonly minimum_seconds?: DecimalText
  readonly tiers?: readonly Output<typeof tier>[]
  /** Prices of a million images by size and quality: `1024x1024/hd`, `1024x1024` or `hd`. */
  readonly images?: Readonly<Record<string, DecimalText>>
  readonly modes?: ModeTable
}

/** Prices that replace the prices of the same names while the period applies. */
export interface PricePeriodSettings extends PriceCardSettings, PeriodTimes {
  readonly name?: string
}

export interface PriceSettings extends PriceCardSettings {
  /** Periods, which must not overlap. Outside of all periods, the price itself applies. */
  readonly periods?: readonly PricePeriodSettings[]
}

const period = entry({
  name: label().optional(),
  ...periodScalars,
  days: list(weekday).optional(),
  hours: list(dayHours).optional(),
  ...card,
}).transform((own): PricePeriodSettings => withImages(own))

export const price = entry({ ...card, periods: list(period).optional() }).transform(
  (own): PriceSettings => withImages(own),
)

/** A provider's service modes, and its prices for services other than models. */
export const servicePrices = entry({
  ...(Object.fromEntries(SERVICE_PRICE_NAMES.map((service) => [service, rate])) as Record<
    ServicePriceName,
    typeof rate
  >),
  modes: modeFactors.optional(),
})

export type ServicePriceSettings = Output<typeof servicePrices>

/** Separates the price for all images from the prices of single kinds. */
function withImages<Card extends { readonly image?: Output<typeof imagePrice> }>({
  image,
  ...rest
}: Card) {
  const { default: other, ...kinds } = typeof image === "string" ? { default: image } : { ...image }
  const images = Object.keys(kinds).length === 0 ? undefined : kinds
  return { ...rest, ...present<Images>({ image: other, images }) }
}

interface Images {
  readonly image: DecimalText | undefined
  readonly images: PriceCardSettings["images"] | undefined
}
