import * as z from "zod"
import { identifier, moment, page, pageQuery } from "./common.ts"
import { receipt } from "./receipts.ts"
import { route } from "./route.ts"

/** A request that was answered with an error. It does not contain the request body. */
export const failedRequest = z.object({
  id: identifier,
  at: moment,
  /** Null if the caller was not identified. Only operators see those requests. */
  account: identifier.nullable(),
  key: identifier.nullable(),
  endpoint: z.string(),
  /** The model as the caller named it; null if the request was not read that far. */
  model: z.string().nullable(),
  /** HTTP status of the response. */
  status: z.int(),
  /** A code of the error table, as in the response's `error_type`. */
  code: z.string(),
  /** The invalid field. */
  parameter: z.string().nullable(),
  message: z.string(),
})
export type FailedRequestDocument = z.infer<typeof failedRequest>
export const failedRequestPage = page(failedRequest)

/** Newest first. A failure must match all filters. */
export const failureQuery = pageQuery.extend({
  account: identifier.optional(),
  key: identifier.optional(),
  endpoint: z.string().max(200).optional(),
  code: z.string().max(100).optional(),
  /**
   * `true`: only requests that were rejected before a provider was called. They have no receipt.
   */
  refused: z.enum(["true", "false"]).optional(),
  /** An exact name or a glob. */
  model: z.string().max(200).optional(),
  /** A part of the message, or the id of the request. */
  search: z.string().max(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type FailureQuery = z.output<typeof failureQuery>

/** A failed upstream call, as the vendor reported it. */
export const failedAttempt = z.object({
  at: moment,
  deployment: z.string(),
  /** The vendor's status; 0 if there was no response. */
  status: z.int(),
  /** A code of the error table. */
  outcome: z.string(),
  /** The vendor's own code. Like the message, it is null if only operators may see it. */
  code: z.string().nullable(),
  /** The first 500 characters. */
  message: z.string().nullable(),
})
export type FailedAttemptDocument = z.infer<typeof failedAttempt>

/** `GET /admin/v1/requests/{request}`: everything stored about one request. */
export const requestRecord = z.object({
  id: identifier,
  /** Null if the request held no credits. */
  receipt: receipt.nullable(),
  /** Null if the request succeeded, or if it is older than seven days. */
  failure: failedRequest.nullable(),
  /** Failures of its attempts. Stored for seven days. */
  attempts: z.array(failedAttempt),
})
export type RequestRecordDocument = z.infer<typeof requestRecord>

/** The outcomes of requests, including those without a receipt. */
export const failureRoutes = {
  "GET /requests/{request}": route({
    summary: "The receipt of a request, or the reason for its rejection",
    minimumRole: "viewer",
    answer: requestRecord,
  }),
  "GET /failures": route({
    summary: "List the failed requests of the last seven days, newest first",
    minimumRole: "session",
    query: failureQuery,
    answer: failedRequestPage,
  }),
}
