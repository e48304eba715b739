import type { Method } from "#contract/route-name.ts"
import type { MinimumRole } from "#contract/route.ts"

/** The base path of the management API. */
export const ADMIN_PATH = "/admin/v1"

/**
 * Whether a route accepts idempotency keys. All routes for changes accept them, except those that change the session
 * itself.
 */
export function takesIdempotencyKey(method: Method, role: MinimumRole): boolean {
  return method !== "GET" && role !== "anyone" && role !== "session"
}
