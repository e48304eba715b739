import type { Output } from "../reading.ts"
import { moment } from "../scalars.ts"
import { entry, label, list, name, named, record } from "../shapes.ts"
import { price } from "./model-prices.ts"
import { MULTIPLIER } from "./pricing.ts"

const MODEL_GLOB = name(
  /^[^\s\p{C}]{1,200}$/u,
  "must be the id of a model, or a pattern of ids such as openai/*",
)
const PRICE_GROUP_ID = name(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  "the id of a price group must be lowercase letters, digits and hyphens, such as partners",
)

/** Prices for the members of a price group from a given time onwards. */
const term = entry({
  /** Start time in Unix milliseconds. */
  from: moment(),
  /** A factor on the default prices; 1 if absent. */
  multiplier: MULTIPLIER.optional(),
  /** The prices of models, by id or glob. No multiplier is applied to them. */
  prices: record(MODEL_GLOB, price)
    .transform((prices) => named(Object.entries(prices)))
    .optional(),
})

export type PriceTermSettings = Output<typeof term>

/** A group of accounts with their own prices. */
const priceGroup = entry({
  name: label().optional(),
  /** Terms, with the earliest first. */
  terms: list(term).transform((terms) => terms.toSorted((a, b) => a.from - b.from)),
})

export type PriceGroupSettings = Output<typeof priceGroup>

/** The reader of the table `price_groups`, whose names are group ids. */
export const priceGroups = record(PRICE_GROUP_ID, priceGroup)
  .transform((groups) => named(Object.entries(groups)))
  .nullish()
