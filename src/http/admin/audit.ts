import type { AuditLog } from "../../management/audit-log.ts"
import { auditPage, auditQuery } from "tollgate-contract/operations.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/audit`: who changed what. */
export function auditEndpoints({ auditLog }: { readonly auditLog: AuditLog }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/audit",
      summary: "Every change that somebody made, the newest first",
      least: "session",
      query: auditQuery,
      answer: auditPage,
      handle: ({ actor, query }) => auditLog.list(actor, query),
    }),
  ]
}
