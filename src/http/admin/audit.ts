import { auditRoutes } from "#contract/operations.ts"
import type { AuditLog } from "../../management/audit-log.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/audit`: who changed what. */
export function auditEndpoints({ auditLog }: { readonly auditLog: AuditLog }): AdminEndpoint[] {
  return endpoints(auditRoutes, {
    "GET /audit": ({ actor, query }) => auditLog.list(actor, query),
  })
}
