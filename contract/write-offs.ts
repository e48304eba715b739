import * as z from "zod"
import { credits, identifier, moment, page, pageQuery } from "./common.ts"
import { route } from "./route.ts"

/** A part of a request's cost that was not charged, as a line of the ledger. */
export const writeOff = z.object({
  number: z.int(),
  at: moment,
  account: identifier,
  key: identifier,
  request: identifier,
  amount: credits,
  /** The reason: `account_empty`, `budget_empty`, `usage_beyond_bound`, `late` or `unstorable`. */
  reason: z.string(),
  hash: z.string(),
})
export type WriteOff = z.infer<typeof writeOff>
export const writeOffPage = page(writeOff)
export const writeOffQuery = pageQuery.extend({ account: identifier.optional() })
export type WriteOffQuery = z.output<typeof writeOffQuery>

/** `/admin/v1/write-offs`: cost of requests that was not charged. */
export const writeOffRoutes = {
  "GET /write-offs": route({
    summary: "List uncharged costs of requests with their reasons, newest first",
    minimumRole: "operator",
    query: writeOffQuery,
    response: writeOffPage,
  }),
}
