import type { DecimalText } from "#contract/decimal.ts"
import type { z } from "zod"
import { moment } from "../scalars.ts"
import { label, list, name, named, present, record, strict } from "../shapes.ts"
import { buildPrice, price, type PriceSettings } from "./model-prices.ts"
import { MULTIPLIER } from "./pricing.ts"

/** What members of a price group pay from a moment on. */
export interface PriceTermSettings {
  /** Unix milliseconds. */
  readonly from: number
  /** A factor on what everyone else pays; absent: 1. */
  readonly multiplier?: DecimalText
  /** The prices of models, by id or glob; no multiplier is applied to them. */
  readonly prices?: Readonly<Record<string, PriceSettings>>
}

/** Accounts with prices of their own. */
export interface PriceGroupSettings {
  readonly name?: string
  /** The earliest first. */
  readonly terms: readonly PriceTermSettings[]
}

const MODEL_GLOB = name(
  /^[^\s\p{C}]{1,200}$/u,
  "must be the id of a model, or a pattern of ids such as openai/*",
)
const PRICE_GROUP_ID = name(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  "the id of a price group must be small letters, digits and hyphens, such as partners",
)

const term = strict({
  from: moment(),
  multiplier: MULTIPLIER.optional(),
  prices: record(MODEL_GLOB, price).optional(),
})

const priceGroup = strict({ name: label().optional(), terms: list(term) }).transform(
  ({ name, terms }): PriceGroupSettings =>
    present({ name, terms: terms.map(buildTerm).toSorted((a, b) => a.from - b.from) }),
)

function buildTerm({ from, multiplier, prices }: z.output<typeof term>): PriceTermSettings {
  const entries = prices && Object.entries(prices)
  return present({
    from,
    multiplier,
    prices: entries && named(entries.map(([glob, entry]) => [glob, buildPrice(entry)])),
  })
}

/** The table `price_groups`, by id. */
export const priceGroups = record(PRICE_GROUP_ID, priceGroup)
  .transform((groups) => named(Object.entries(groups)))
  .nullish()
