import * as z from "zod"
import { credits, identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** Likely reasons for a difference, and what each of them means. */
export const DIFFERENCE_CAUSES = {
  stale_price: "the usage is equal and the amount is not: the price here is out of date",
  tier: "the provider served another service tier than the ledger has",
  factor: "all amounts differ by one factor: a discount, a tax or another currency",
  abandoned_calls: "calls that ended early are counted by the gateway, and billed by the provider",
  other_clients: "the provider bills usage that the ledger does not have: other clients of the key",
  not_billed: "the ledger has usage that the bill does not have",
  rounding: "the amounts are equal when rounded as the bill is",
  unclear: "the bill does not say enough to name a cause",
} as const
export type DifferenceCause = keyof typeof DIFFERENCE_CAUSES

const cause = z.enum(Object.keys(DIFFERENCE_CAUSES) as [DifferenceCause, ...DifferenceCause[]])

/** One thing that the bill and the ledger both have, with an amount that differs. */
const reconciledLine = z.object({
  day: z.iso.date(),
  /** The provider's name of the model; empty for a fee of none. */
  model: z.string(),
  /** The credential, or the provider's id of a key that no credential is known for; null: of all. */
  key: z.string().nullable(),
  /** The class of usage, as prices name it; null: of all. */
  class: z.string().nullable(),
  billed: credits,
  ledger: credits,
  /** Null: the bill does not have it. */
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
  /** The first day, and the day after the last one, in UTC. */
  from: z.iso.date(),
  to: z.iso.date(),
  /** The name of the file, or of the cost API. */
  source: z.string(),
  billed: credits,
  /** Provider cost in the receipts. */
  ledger: credits,
  /** Corrections of these days that were posted before. */
  corrected: credits,
  /** `billed` without `ledger` and `corrected`. */
  difference: credits,
  causes: z.array(z.object({ cause, lines: z.int(), difference: credits })),
  /** The lines that differ, those with the largest difference first; at most a hundred. */
  lines: z.array(reconciledLine),
  /** Rows of the bill that were left out: of other days, or of other services. */
  skipped_rows: z.int(),
  /** What was posted; null: nothing. */
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
