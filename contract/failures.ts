import * as z from "zod"
import { identifier, moment, page, pageQuery } from "./common.ts"
import { receipt } from "./receipts.ts"
import { route } from "./route.ts"

/** A request that was answered with an error. What was asked is not in it. */
export const failedRequest = z.object({
  id: identifier,
  at: moment,
  /** Null where the caller was not known: only operators see those. */
  account: identifier.nullable(),
  key: identifier.nullable(),
  endpoint: z.string(),
  /** As the caller named it; null where the request was not read so far. */
  model: z.string().nullable(),
  /** Of the answer. */
  status: z.int(),
  /** A word of the error table, as in the answer's `error_type`. */
  code: z.string(),
  /** The field that was wrong. */
  parameter: z.string().nullable(),
  message: z.string(),
})
export type FailedRequestDocument = z.infer<typeof failedRequest>
export const failedRequestPage = page(failedRequest)

/** The newest first. All filters have to hold. */
export const failureQuery = pageQuery.extend({
  account: identifier.optional(),
  key: identifier.optional(),
  endpoint: z.string().max(200).optional(),
  code: z.string().max(100).optional(),
  /** `true`: only those that were answered before any vendor was asked, which have no receipt. */
  refused: z.enum(["true", "false"]).optional(),
  /** An exact name or a glob. */
  model: z.string().max(200).optional(),
  /** A part of the message, or the request's id. */
  search: z.string().max(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type FailureQuery = z.output<typeof failureQuery>

/** An upstream call that failed, in its vendor's words. */
export const failedAttempt = z.object({
  at: moment,
  deployment: z.string(),
  /** The vendor's; 0 where none came. */
  status: z.int(),
  /** A word of the error table. */
  outcome: z.string(),
  /** The vendor's own code; null also where it is the operator's to know, as is the message. */
  code: z.string().nullable(),
  /** The first 500 characters. */
  message: z.string().nullable(),
})
export type FailedAttemptDocument = z.infer<typeof failedAttempt>

/** `GET /admin/v1/requests/{request}`: all that is known of one request. */
export const requestRecord = z.object({
  id: identifier,
  /** Null where it held no money. */
  receipt: receipt.nullable(),
  /** Null where it was answered without an error, or that was more than seven days ago. */
  failure: failedRequest.nullable(),
  /** Why its attempts failed, for seven days. */
  attempts: z.array(failedAttempt),
})
export type RequestRecordDocument = z.infer<typeof requestRecord>

/** What became of requests, also of those that have no receipt. */
export const failureRoutes = {
  "GET /requests/{request}": route({
    summary: "What became of one request: its receipt, or why it was refused",
    minimumRole: "viewer",
    answer: requestRecord,
  }),
  "GET /failures": route({
    summary: "Requests of the last seven days that were answered with an error, the newest first",
    minimumRole: "session",
    query: failureQuery,
    answer: failedRequestPage,
  }),
}
