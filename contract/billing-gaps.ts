import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** The requests of one kind, and their total amount. */
const gapSum = z.object({
  requests: z.int(),
  amount: credits,
  /** In descending order of amount. */
  rows: z.array(z.object({ name: z.string(), requests: z.int(), amount: credits })),
})
export type GapSum = z.infer<typeof gapSum>

/** Possible differences between charges and provider bills in a time range. */
export const billingGaps = z.object({
  object: z.literal("billing_gaps"),
  /** Number of receipts that were counted. */
  receipts: z.int(),
  /** End of the range that was counted; null if the whole range was counted. */
  counted_to: moment.nullable(),
  /** Charges by the gateway's own count, by deployment. */
  estimated: gapSum,
  /** Charges for requests with unpriced features, by feature. */
  unpriced: gapSum,
  /** Uncharged cost of requests, by reason. */
  written_off: gapSum,
  /** Provider cost of attempts that were not charged, by outcome of the attempt. */
  uncharged: gapSum,
})
export type BillingGaps = z.infer<typeof billingGaps>

export const billingGapsQuery = z.object({
  account: identifier.optional(),
  from: moment,
  to: moment,
})
export type BillingGapsQuery = z.infer<typeof billingGapsQuery>

/** The routes of `/admin/v1/billing-gaps`. */
export const billingGapRoutes = {
  "GET /billing-gaps": route({
    summary: "Report estimated charges, unpriced features, write-offs and uncharged provider cost",
    minimumRole: "operator",
    query: billingGapsQuery,
    response: billingGaps,
  }),
}
