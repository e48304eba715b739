import * as z from "zod"
import { label, moment, page, pageQuery, priceGroupId } from "./common.ts"
import { route } from "./route.ts"

/** As in `tollgate.yaml`: classes with prices, and `tiers`; `image` may be a table. */
const price = z.record(z.string(), z.unknown())

/** What members pay from a moment on, until the next term begins. */
export const priceTerm = z.object({
  from: moment,
  /** `ended`: another one has begun since. */
  state: z.enum(["ended", "active", "upcoming"]),
  /** A factor on what everyone else pays; null: 1. */
  multiplier: z.string().nullable(),
  /** The rate card: prices of models, by id or by a pattern with `*`. No multiplier is applied to them. */
  prices: z.record(z.string(), price),
})
export type PriceTerm = z.infer<typeof priceTerm>

/** Accounts that pay other prices than everyone. Before its first term a group pays what everyone pays. */
export const priceGroup = z.object({
  id: priceGroupId,
  name: z.string().nullable(),
  /** The earliest first. */
  terms: z.array(priceTerm),
  /** How many accounts belong to it. */
  members: z.int(),
  origin: z.enum(["file", "console"]),
  /** What the file sets can only be changed there. */
  is_locked: z.boolean(),
  /** What in it is not used, such as the price of a model that is gone. */
  problems: z.array(z.string()),
})
export type PriceGroup = z.infer<typeof priceGroup>
export const priceGroupPage = page(priceGroup)

const newTerm = z.object({
  /** Absent: as soon as every process knows it, which is five seconds from now. A past moment is refused. */
  from: moment.optional(),
  multiplier: z.string().max(20).nullable().optional(),
  prices: z
    .record(z.string(), price)
    .refine((prices) => Object.keys(prices).length <= 1_000, "must name at most 1,000 prices")
    .optional(),
})

/** Terms that have begun are part of what was charged: they stay as they are; those that have ended may be left out. */
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

/** `/admin/v1/price-groups`: accounts with prices of their own. */
export const priceGroupRoutes = {
  "GET /price-groups": route({
    summary: "The price groups, with their terms and how many accounts belong to each",
    minimumRole: "operator",
    query: pageQuery,
    answer: priceGroupPage,
  }),
  "POST /price-groups": route({
    summary: "Create a price group: a multiplier, a rate card or both, from a moment on",
    minimumRole: "operator",
    body: newPriceGroup,
    answer: priceGroup,
  }),
  "GET /price-groups/{id}": route({
    summary: "One price group",
    minimumRole: "operator",
    answer: priceGroup,
  }),
  "PATCH /price-groups/{id}": route({
    summary: "Rename a price group, or give it other terms; those that have begun stay",
    minimumRole: "operator",
    body: priceGroupChange,
    answer: priceGroup,
  }),
  "DELETE /price-groups/{id}": route({
    summary: "Delete a price group to which no account belongs",
    minimumRole: "operator",
  }),
}
