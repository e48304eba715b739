import * as z from "zod"
import { label, moment, page, pageQuery, priceGroupId } from "./common.ts"
import { route } from "./route.ts"

/** A price as in `tollgate.yaml`: prices by class, and `tiers`. `image` may be a table. */
const price = z.record(z.string(), z.unknown())

/** The prices of a group's accounts from a given time until the next term begins. */
export const priceTerm = z.object({
  from: moment,
  /** `ended` means that a later term has begun. */
  state: z.enum(["ended", "active", "upcoming"]),
  /** A factor on the default prices; null stands for 1. */
  multiplier: z.string().nullable(),
  /**
   * The rate card: prices by model id, or by a pattern of ids with `*`. The multiplier does not apply to these prices.
   */
  prices: z.record(z.string(), price),
})
export type PriceTerm = z.infer<typeof priceTerm>

/** A group of accounts with their own prices. Before the first term of a group, its accounts pay the default prices. */
export const priceGroup = z.object({
  id: priceGroupId,
  name: z.string().nullable(),
  /** The terms, earliest first. */
  terms: z.array(priceTerm),
  /** Number of accounts in the group. */
  members: z.int(),
  origin: z.enum(["file", "console"]),
  /** Whether the group comes from the settings file and can be changed only there. */
  is_locked: z.boolean(),
  /** Descriptions of parts that have no effect, such as the price of a removed model. */
  problems: z.array(z.string()),
})
export type PriceGroup = z.infer<typeof priceGroup>
export const priceGroupPage = page(priceGroup)

const newTerm = z.object({
  /**
   * Start of the term. Defaults to five seconds from now, when every process has loaded the term. A past moment is
   * rejected.
   */
  from: moment.optional(),
  multiplier: z.string().max(20).nullable().optional(),
  prices: z
    .record(z.string(), price)
    .refine((prices) => Object.keys(prices).length <= 1_000, "must name at most 1,000 prices")
    .optional(),
})

/**
 * A change to a price group. Terms that have begun cannot be changed, because requests were charged by them. Ended
 * terms may be omitted.
 */
export const priceGroupChange = z.object({
  name: label.nullable().optional(),
  terms: z.array(newTerm).min(1).max(100).optional(),
})
export type PriceGroupChange = z.infer<typeof priceGroupChange>

export const newPriceGroup = priceGroupChange.extend({
  id: priceGroupId,
  terms: z.array(newTerm).min(1).max(100),
})
export type NewPriceGroup = z.infer<typeof newPriceGroup>

/** `/admin/v1/price-groups`: accounts with their own prices. */
export const priceGroupRoutes = {
  "GET /price-groups": route({
    summary: "List the price groups, with their terms and numbers of accounts",
    minimumRole: "operator",
    query: pageQuery,
    response: priceGroupPage,
  }),
  "POST /price-groups": route({
    summary: "Create a price group: a multiplier, a rate card or both, with a start time",
    minimumRole: "operator",
    body: newPriceGroup,
    response: priceGroup,
  }),
  "GET /price-groups/{id}": route({
    summary: "Get a price group",
    minimumRole: "operator",
    response: priceGroup,
  }),
  "PATCH /price-groups/{id}": route({
    summary: "Rename a price group, or change its terms that have not begun",
    minimumRole: "operator",
    body: priceGroupChange,
    response: priceGroup,
  }),
  "DELETE /price-groups/{id}": route({
    summary: "Delete a price group without accounts",
    minimumRole: "operator",
  }),
}
