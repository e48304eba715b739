import { billingGapRoutes } from "#contract/billing-gaps.ts"
import { failureRoutes } from "#contract/failures.ts"
import { auditRoutes } from "#contract/operations.ts"
import { receiptRoutes } from "#contract/receipts.ts"
import { reconciliationRoutes } from "#contract/reconciliations.ts"
import { usageRoutes } from "#contract/usage.ts"
import { writeOffRoutes } from "#contract/write-offs.ts"
import { AllRequests } from "../../management/all-requests.ts"
import { AuditLog } from "../../management/audit-log.ts"
import { BillingGapReports } from "../../management/billing-gaps.ts"
import { Failures } from "../../management/failures.ts"
import { Overviews } from "../../management/overview.ts"
import { Reconciliations } from "../../management/reconciliation/reconciliations.ts"
import { ReliabilityReports } from "../../management/reliability.ts"
import { RequestCountReports } from "../../management/request-counts.ts"
import { openAllRequestsTable, openRequestTable } from "../../management/request-table.ts"
import { Requests } from "../../management/requests.ts"
import { UsageChangeReports } from "../../management/usage-changes.ts"
import { UsageReports } from "../../management/usage.ts"
import { WriteOffs } from "../../management/write-offs.ts"
import { downloadResponse } from "./download-response.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"
import type { OpenParts } from "./parts.ts"

/**
 * `/admin/v1/receipts`: the receipts of requests. `/admin/v1/requests` and `/admin/v1/failures`: the outcomes of
 * requests, with and without receipts.
 */
export function requestEndpoints(parts: OpenParts): AdminEndpoint[] {
  const requests = new Requests(parts)
  const failures = new Failures({ log: parts.failures, reports: parts.reports, requests })
  const allRequests = new AllRequests(requests, failures)
  return [
    ...endpoints(receiptRoutes, {
      "GET /receipts": ({ actor, query }) => requests.list(actor, query),
      "GET /receipts.csv": async ({ actor, query }) =>
        downloadResponse(await openRequestTable(requests, actor, query)),
      "GET /receipts/{request}": ({ actor, path }) => requests.receipt(actor, path("request")),
    }),
    ...endpoints(failureRoutes, {
      "GET /requests": ({ actor, query }) => allRequests.list(actor, query),
      "GET /requests.csv": async ({ actor, query }) =>
        downloadResponse(await openAllRequestsTable(allRequests, actor, query)),
      "GET /requests/{request}": ({ actor, path }) => failures.request(actor, path("request")),
      "GET /failures": ({ actor, query }) => failures.list(actor, query),
    }),
  ]
}

/** `/admin/v1/usage`: the usage and its cost over time. */
export function usageEndpoints({ store, reports, failures }: OpenParts): AdminEndpoint[] {
  const usageReports = new UsageReports(store, reports)
  const usageChanges = new UsageChangeReports(reports)
  const overviews = new Overviews(store, reports)
  const reliability = new ReliabilityReports(reports)
  const requestCounts = new RequestCountReports(reports, failures)
  return endpoints(usageRoutes, {
    "GET /usage": ({ actor, query }) => usageReports.usage(actor, query),
    "GET /usage/changes": ({ actor, query }) => usageChanges.report(actor, query),
    "GET /usage/requests": ({ actor, query }) => requestCounts.report(actor, query),
    "GET /usage/overview": ({ actor, query }) => overviews.overview(actor, query.account),
    "GET /usage/reliability": ({ actor, query }) => reliability.report(actor, query),
  })
}

/** Differences between charges and provider bills, and costs of requests that were not charged. */
export function billingEndpoints({ store, audit }: OpenParts): AdminEndpoint[] {
  const billingGaps = new BillingGapReports(store)
  const writeOffs = new WriteOffs(store)
  const reconciliations = new Reconciliations(store, audit)
  return [
    ...endpoints(billingGapRoutes, {
      "GET /billing-gaps": ({ actor, query }) => billingGaps.report(actor, query),
    }),
    ...endpoints(writeOffRoutes, {
      "GET /write-offs": ({ actor, query }) => writeOffs.list(actor, query),
    }),
    ...endpoints(reconciliationRoutes, {
      "GET /reconciliations": ({ actor }) => reconciliations.list(actor),
    }),
  ]
}

/** `/admin/v1/audit`: the record of changes. */
export function auditEndpoints({ store, audit, users }: OpenParts): AdminEndpoint[] {
  const auditLog = new AuditLog(store, audit, users)
  return endpoints(auditRoutes, {
    "GET /audit": ({ actor, query }) => auditLog.list(actor, query),
  })
}
