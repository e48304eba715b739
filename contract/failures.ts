import * as z from "zod"
import { identifier, moment, page, pageQuery } from "./common.ts"
import { receipt, requestQuery, requestSummary, requestTableQuery } from "./receipts.ts"
import { route } from "./route.ts"

/** A request that was answered with an error. The body of the request is not included. */
export const failedRequest = z.object({
  id: identifier,
  at: moment,
  /** The account; null if the caller was not identified. Only operators see requests without an account. */
  account: identifier.nullable(),
  key: identifier.nullable(),
  endpoint: z.string(),
  /** The model as the caller named it; null if the gateway rejected the request before reading the model. */
  model: z.string().nullable(),
  /** HTTP status of the response. */
  status: z.int(),
  /** A code of the error table, as in the `error_type` of the response. */
  code: z.string(),
  /** The path of the invalid field; null if no field is invalid. */
  parameter: z.string().nullable(),
  message: z.string(),
})
export type FailedRequestDocument = z.infer<typeof failedRequest>
export const failedRequestPage = page(failedRequest).extend({
  /**
   * Set if a search found too many requests to read. Then only requests since this time were searched. `next_cursor`
   * continues the search.
   */
  searched_from: moment.nullable(),
})
export type FailedRequestPage = z.infer<typeof failedRequestPage>

/** A query for failures, sorted newest first. A failure must match all filters. */
export const failureQuery = pageQuery.extend({
  account: identifier.optional(),
  key: identifier.optional(),
  endpoint: z.string().max(200).optional(),
  code: z.string().max(100).optional(),
  /** `true` selects only requests that were rejected before a provider was called. These requests have no receipt. */
  rejected: z.enum(["true", "false"]).optional(),
  /** An exact model name or a glob. */
  model: z.string().max(200).optional(),
  /** A part of the error message, the model or the name of the key, regardless of case; or the id of the request. */
  search: z.string().max(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type FailureQuery = z.output<typeof failureQuery>

/** A request in the list of all requests. Either `admitted` or `rejected` is set. */
export const listedRequest = z.object({
  id: identifier,
  at: moment,
  /** Set if the request held credits. */
  admitted: requestSummary.nullable(),
  /** Set if the request was rejected before a provider was called. It has no receipt and was not charged. */
  rejected: failedRequest.nullable(),
})
export type ListedRequest = z.infer<typeof listedRequest>
export const listedRequestPage = page(listedRequest).extend({
  /** As in the list of receipts. */
  searched_from: moment.nullable(),
})
export type ListedRequestPage = z.infer<typeof listedRequestPage>

/**
 * A query for all requests. Rejected requests are listed for seven days. They have no label, provider, cost or
 * duration, so these filters and the sorting by cost or duration omit them.
 */
export const listedRequestQuery = requestQuery.extend({
  status: z.enum(["ok", "failed", "written_off", "rejected"]).optional(),
})
export type ListedRequestQuery = z.output<typeof listedRequestQuery>

/** The query of `GET /admin/v1/requests.csv`, which downloads the complete list. */
export const requestListTableQuery = requestTableQuery.extend({
  status: listedRequestQuery.shape.status,
})
export type RequestListTableQuery = z.output<typeof requestListTableQuery>

/** A failed upstream call, as reported by the vendor. */
export const failedAttempt = z.object({
  at: moment,
  deployment: z.string(),
  /** The vendor's HTTP status; 0 if there was no response. */
  status: z.int(),
  /** A code of the error table. */
  outcome: z.string(),
  /** The vendor's own error code. Like the message, it is null if only operators may see it. */
  code: z.string().nullable(),
  /** The first 500 characters of the vendor's message. */
  message: z.string().nullable(),
})
export type FailedAttemptDocument = z.infer<typeof failedAttempt>

/** The response of `GET /admin/v1/requests/{request}`: all stored data about one request. */
export const requestRecord = z.object({
  id: identifier,
  /** The receipt; null if the request held no credits. */
  receipt: receipt.nullable(),
  /** The failure; null if the request succeeded or is older than seven days. */
  failure: failedRequest.nullable(),
  /** The failed attempts of the request, stored for seven days; empty if the caller does not see costs. */
  attempts: z.array(failedAttempt),
})
export type RequestRecordDocument = z.infer<typeof requestRecord>

/** Routes for failed requests, including requests without a receipt. */
export const failureRoutes = {
  "GET /requests": route({
    summary: "List the admitted and the rejected requests of an account, or of all your accounts",
    minimumRole: "session",
    query: listedRequestQuery,
    response: listedRequestPage,
  }),
  "GET /requests.csv": route({
    summary: "Download up to 50,000 of these admitted and rejected requests as a CSV file",
    minimumRole: "session",
    query: requestListTableQuery,
  }),
  "GET /requests/{request}": route({
    summary: "Get the receipt of a request, or the reason for its rejection",
    minimumRole: "viewer",
    response: requestRecord,
  }),
  "GET /failures": route({
    summary: "List the failed requests of the last seven days, newest first",
    minimumRole: "session",
    query: failureQuery,
    response: failedRequestPage,
  }),
}
