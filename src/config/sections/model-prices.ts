import type { DecimalText } from "#contract/decimal.ts"
import type { PeriodTimes } from "#contract/price-periods.ts"
import {
  PRICE_NAMES,
  type PriceName,
  SERVICE_PRICE_NAMES,
  type ServicePriceName,
} from "#contract/usage-classes.ts"
import type { z } from "zod"
import { dayHours, periodScalars, weekday } from "../price-periods.ts"
import { amount, minimumSeconds, number } from "../scalars.ts"
import { either, label, list, name, present, record, strict } from "../shapes.ts"
import { MULTIPLIER } from "./pricing.ts"

/** Credits per million units of each class. */
export type PriceTable = Readonly<Partial<Record<PriceName, DecimalText>>>

/** Factors on the token rates in a mode of service: `priority`, `flex`, `fast`. */
export type ModeTable = Readonly<Record<string, DecimalText>>

/** A vendor's prices besides those of its models, and its modes of service. */
export interface ServicePriceSettings extends Readonly<
  Partial<Record<ServicePriceName, DecimalText>>
> {
  readonly modes?: ModeTable
}

/** Prices that replace the base ones for the whole request once its input is longer than `above`. */
export interface PriceTierSettings extends PriceTable {
  readonly above: number
}

/** The prices of a model or of one of its periods. */
export interface PriceCardSettings extends PriceTable {
  /** Seconds of audio that each request is charged for at least, a whole number. */
  readonly minimum_seconds?: DecimalText
  readonly tiers?: readonly PriceTierSettings[]
  /** Of a million images, by size and quality: `1024x1024/hd`, `1024x1024` or `hd`. */
  readonly images?: Readonly<Record<string, DecimalText>>
  /** Absent: the known modes of the model and of its vendor. */
  readonly modes?: ModeTable
}

/** Prices that replace those of the same name while the period applies. */
export interface PricePeriodSettings extends PriceCardSettings, PeriodTimes {
  readonly name?: string
}

export interface PriceSettings extends PriceCardSettings {
  /** Periods must not overlap; outside of all periods the price itself applies. */
  readonly periods?: readonly PricePeriodSettings[]
}

const PRICE_PLACES = 9

const rate = amount(PRICE_PLACES).optional()
const rates = Object.fromEntries(PRICE_NAMES.map((name) => [name, rate])) as Record<
  PriceName,
  typeof rate
>
const tier = strict({ above: number(1, Infinity, "whole number"), ...rates })
/** One price for all images, or one for each of their kinds. */
const imagePrice = either(
  amount(PRICE_PLACES),
  record(
    name(
      /^(default|([1-9]\d*x[1-9]\d*)(\/[\w-]+)?|[a-z][\w-]*)$/,
      "a kind of picture is a size, a quality or both, such as 1024x1024/hd, or default",
    ),
    amount(PRICE_PLACES),
  ),
)
const modes = record(
  name(
    /^[a-z][a-z0-9_-]*$/,
    "a mode of service has a name in small letters, such as priority, flex or fast",
  ),
  MULTIPLIER,
)
const card = {
  ...rates,
  image: imagePrice.optional(),
  minimum_seconds: minimumSeconds().optional(),
  tiers: list(tier).optional(),
  modes: modes.optional(),
}
const period = strict({
  name: label().optional(),
  ...periodScalars,
  days: list(weekday).optional(),
  hours: list(dayHours).optional(),
  ...card,
})

/** The price of a model in the file. */
export const price = strict({ ...card, periods: list(period).optional() })

/** The prices of a provider besides those of its models. */
export const servicePrices = strict({
  ...(Object.fromEntries(SERVICE_PRICE_NAMES.map((service) => [service, rate])) as Record<
    ServicePriceName,
    typeof rate
  >),
  modes: modes.optional(),
})

type FilePrice = z.output<typeof price>

export function buildPrice(entry: FilePrice): PriceSettings {
  const { periods, ...own } = entry
  const built = periods?.map(({ name, from, until, zone, days, hours, ...prices }) =>
    present({ ...buildCard(prices), name, from, until, zone, days, hours }),
  )
  return present({ ...buildCard(own), periods: built })
}

function buildCard(entry: Omit<FilePrice, "periods">): PriceCardSettings {
  const { tiers, image, ...prices } = entry
  const images = typeof image === "string" ? { default: image } : { ...image }
  const { default: other, ...kinds } = images
  return present({
    ...prices,
    image: other,
    images: Object.keys(kinds).length === 0 ? undefined : kinds,
    tiers: tiers?.map((one) => present(one)),
  })
}
