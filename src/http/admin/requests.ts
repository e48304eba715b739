import { failureRoutes } from "#contract/failures.ts"
import { auditRoutes } from "#contract/operations.ts"
import { receiptRoutes } from "#contract/receipts.ts"
import { usageRoutes } from "#contract/usage.ts"
import type { AllRequests } from "../../management/all-requests.ts"
import type { AuditLog } from "../../management/audit-log.ts"
import type { Failures } from "../../management/failures.ts"
import type { Overviews } from "../../management/overview.ts"
import type { ReliabilityReports } from "../../management/reliability.ts"
import type { RequestCountReports } from "../../management/request-counts.ts"
import { openAllRequestsTable, openRequestTable } from "../../management/request-table.ts"
import type { Requests } from "../../management/requests.ts"
import type { UsageChangeReports } from "../../management/usage-changes.ts"
import type { UsageReports } from "../../management/usage.ts"
import { downloadAnswer } from "./download-answer.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/receipts`: the receipts of requests. */
export function receiptEndpoints({ requests }: { readonly requests: Requests }): AdminEndpoint[] {
  return endpoints(receiptRoutes, {
    "GET /receipts": ({ actor, query }) => requests.list(actor, query),
    "GET /receipts.csv": async ({ actor, query }) =>
      downloadAnswer(await openRequestTable(requests, actor, query)),
    "GET /receipts/{request}": ({ actor, path }) => requests.receipt(actor, path("request")),
  })
}

/** `/admin/v1/usage`: the usage and its cost over time. */
export function usageEndpoints({
  usageReports,
  usageChanges,
  overviews,
  reliability,
  requestCounts,
}: {
  readonly usageReports: UsageReports
  readonly usageChanges: UsageChangeReports
  readonly overviews: Overviews
  readonly reliability: ReliabilityReports
  readonly requestCounts: RequestCountReports
}): AdminEndpoint[] {
  return endpoints(usageRoutes, {
    "GET /usage": ({ actor, query }) => usageReports.usage(actor, query),
    "GET /usage/changes": ({ actor, query }) => usageChanges.report(actor, query),
    "GET /usage/requests": ({ actor, query }) => requestCounts.report(actor, query),
    "GET /usage/overview": ({ actor, query }) => overviews.overview(actor, query.account),
    "GET /usage/reliability": ({ actor, query }) => reliability.report(actor, query),
  })
}

/** `/admin/v1/requests` and `/admin/v1/failures`: the outcomes of requests, with and without receipts. */
export function failureEndpoints({
  failures,
  allRequests,
}: {
  readonly failures: Failures
  readonly allRequests: AllRequests
}): AdminEndpoint[] {
  return endpoints(failureRoutes, {
    "GET /requests": ({ actor, query }) => allRequests.list(actor, query),
    "GET /requests.csv": async ({ actor, query }) =>
      downloadAnswer(await openAllRequestsTable(allRequests, actor, query)),
    "GET /requests/{request}": ({ actor, path }) => failures.request(actor, path("request")),
    "GET /failures": ({ actor, query }) => failures.list(actor, query),
  })
}

/** `/admin/v1/audit`: the record of changes. */
export function auditEndpoints({ auditLog }: { readonly auditLog: AuditLog }): AdminEndpoint[] {
  return endpoints(auditRoutes, {
    "GET /audit": ({ actor, query }) => auditLog.list(actor, query),
  })
}
