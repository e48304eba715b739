import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** Likely causes of a difference, with descriptions. */
export const DIFFERENCE_CAUSES = {
  stale_price: "the usage matches but the amount differs: the price in Tollgate is out of date",
  tier: "the provider billed another service tier than the ledger has",
  factor: "all amounts differ by one factor: a discount, a tax or another currency",
  abandoned_calls:
    "calls that ended early: the gateway estimated their usage, and the provider billed them",
  other_clients: "the bill has usage that is missing in the ledger: other clients use the key",
  not_billed: "the ledger has usage that is missing in the bill",
  rounding: "the amounts match at the precision of the bill",
  unclear: "the bill has too little detail to determine a cause",
} as const
export type DifferenceCause = keyof typeof DIFFERENCE_CAUSES

const cause = z.enum(Object.keys(DIFFERENCE_CAUSES) as [DifferenceCause, ...DifferenceCause[]])

/** An item whose amount differs between the bill and the ledger. */
const reconciledLine = z.object({
  day: z.iso.date(),
  /** The provider's name of the model; empty for a fee that belongs to no model. */
  model: z.string(),
  /** The credential, or the provider's id of an unassigned key; null: all keys. */
  key: z.string().nullable(),
  /** The usage class, as named in prices; null: all classes. */
  class: z.string().nullable(),
  billed: credits,
  ledger: credits,
  /** Null: the bill has no quantity. */
  billed_quantity: z.string().nullable(),
  ledger_quantity: z.string().nullable(),
  /** `billed` without `ledger`. */
  difference: credits,
  cause,
})
export type ReconciledLine = z.infer<typeof reconciledLine>

export const reconciliation = z.object({
  object: z.literal("reconciliation"),
  provider: identifier,
  at: moment,
  /** The first day (UTC); `to` is the day after the last one. */
  from: z.iso.date(),
  to: z.iso.date(),
  /** Name of the file or the cost API. */
  source: z.string(),
  billed: credits,
  /** Provider cost in the receipts. */
  ledger: credits,
  /** Earlier corrections of these days. */
  corrected: credits,
  /** `billed` without `ledger` and `corrected`. */
  difference: credits,
  causes: z.array(z.object({ cause, lines: z.int(), difference: credits })),
  /** Lines that differ, in descending order of difference; at most 100. */
  lines: z.array(reconciledLine),
  /** Skipped rows of the bill, from other days or services. */
  skipped_rows: z.int(),
  /** The posted correction; null: nothing was posted. */
  posted: z.object({ amount: credits, reason: z.string() }).nullable(),
})
export type Reconciliation = z.infer<typeof reconciliation>

/** `/admin/v1/reconciliations` */
export const reconciliationRoutes = {
  "GET /reconciliations": route({
    summary: "The last comparison of the ledger with the bill of each provider",
    minimumRole: "operator",
    answer: z.object({ object: z.literal("list"), data: z.array(reconciliation) }),
  }),
}
