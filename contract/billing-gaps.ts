import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** The requests of one kind, and their amount in all. */
const gapSum = z.object({
  requests: z.int(),
  amount: credits,
  /** Those with the largest amount first. */
  rows: z.array(z.object({ name: z.string(), requests: z.int(), amount: credits })),
})
export type GapSum = z.infer<typeof gapSum>

/** Where the charges of a time and the bills of providers may differ. */
export const billingGaps = z.object({
  object: z.literal("billing_gaps"),
  /** How many receipts were read. */
  receipts: z.int(),
  /** Set if the time has more receipts than are read: until when they were. */
  counted_to: moment.nullable(),
  /** What was charged by the gateway's own count, by deployment. */
  estimated: gapSum,
  /** What was charged for requests with features that have no price, by feature. */
  unpriced: gapSum,
  /** What requests cost that was not charged, by reason. */
  written_off: gapSum,
  /** What providers bill of attempts that nobody was charged for, by how the attempt ended. */
  uncharged: gapSum,
})
export type BillingGaps = z.infer<typeof billingGaps>

export const billingGapsQuery = z.object({
  account: identifier.optional(),
  from: moment,
  to: moment,
})
export type BillingGapsQuery = z.infer<typeof billingGapsQuery>

/** `/admin/v1/billing-gaps` */
export const billingGapRoutes = {
  "GET /billing-gaps": route({
    summary:
      "Estimated charges, features without a price, write-offs and provider cost that was not charged",
    minimumRole: "operator",
    query: billingGapsQuery,
    answer: billingGaps,
  }),
}
