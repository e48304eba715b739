import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** Likely causes of a difference, with an explanation of each. */
export const DIFFERENCE_CAUSES = {
  stale_price: "the usage is equal and the amount differs: the configured price is out of date",
  tier: "the provider served a different service tier from the one in the ledger",
  factor: "all amounts differ by one factor: a discount, a tax or another currency",
  abandoned_calls: "calls ended early, or the gateway counted their usage itself",
  other_clients: "the bill contains usage that the ledger does not: other clients use the key",
  not_billed: "the ledger contains usage that the bill does not",
  rounding: "the amounts are equal after rounding",
  unclear: "the bill has too little detail to name a cause",
} as const
export type DifferenceCause = keyof typeof DIFFERENCE_CAUSES

const cause = z.enum(Object.keys(DIFFERENCE_CAUSES) as [DifferenceCause, ...DifferenceCause[]])

/** A difference for a day, a model, a key and a class of usage. */
const reconciledLine = z.object({
  day: z.iso.date(),
  /** The model's name at the provider; empty for a fee without a model. */
  model: z.string(),
  /** The name of the credential, or the provider's id of an unknown key; null means all keys together. */
  key: z.string().nullable(),
  /** The usage class, as prices name it; null means all classes together. */
  class: z.string().nullable(),
  billed: credits,
  ledger: credits,
  /** The billed quantity; null if the bill does not contain it. */
  billed_quantity: z.string().nullable(),
  ledger_quantity: z.string().nullable(),
  /** `billed` minus `ledger`. */
  difference: credits,
  cause,
})
export type ReconciledLine = z.infer<typeof reconciledLine>

export const reconciliation = z.object({
  object: z.literal("reconciliation"),
  provider: identifier,
  at: moment,
  /** The first day, and the day after the last day, in UTC. */
  from: z.iso.date(),
  to: z.iso.date(),
  /** The name of the file, or of the cost API that was read. */
  source: z.string(),
  billed: credits,
  /** Provider cost according to the receipts. */
  ledger: credits,
  /** Earlier corrections for these days. */
  corrected: credits,
  /** `billed` minus `ledger` and `corrected`. */
  difference: credits,
  causes: z.array(z.object({ cause, lines: z.int(), difference: credits })),
  /** The largest differences, in descending order; at most a hundred. */
  lines: z.array(reconciledLine),
  /** Rows of the bill that were skipped because they are for other days or services. */
  skipped_rows: z.int(),
  /** The correction that was posted; null if no correction was posted. */
  posted: z.object({ amount: credits, reason: z.string() }).nullable(),
})
export type Reconciliation = z.infer<typeof reconciliation>

/** The routes of `/admin/v1/reconciliations`. */
export const reconciliationRoutes = {
  "GET /reconciliations": route({
    summary: "List the last comparison of the ledger with the bill of each provider",
    minimumRole: "operator",
    response: z.object({ object: z.literal("list"), data: z.array(reconciliation) }),
  }),
}
