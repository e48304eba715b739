import * as z from "zod"
import { credits, identifier, moment, page, pageQuery } from "./common.ts"

/** A part of a request's cost that was not charged, as a line of the book. */
export const writeOff = z.object({
  number: z.int(),
  at: moment,
  account: identifier,
  key: identifier,
  request: identifier,
  amount: credits,
  /** `account_empty`, `budget_empty`, `usage_beyond_bound`, `late`. */
  reason: z.string(),
  hash: z.string(),
})
export type WriteOff = z.infer<typeof writeOff>
export const writeOffPage = page(writeOff)
export const writeOffQuery = pageQuery.extend({ account: identifier.optional() })
export type WriteOffQuery = z.output<typeof writeOffQuery>
