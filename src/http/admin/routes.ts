import type { Method } from "#contract/route-name.ts"
import type { MinimumRole } from "#contract/route.ts"

/** Where the management API is. */
export const ADMIN_PATH = "/admin/v1"

/** Whether a route takes idempotency keys: what changes something that is not the session itself. */
export function takesIdempotencyKey(method: Method, role: MinimumRole): boolean {
  return method !== "GET" && role !== "anyone" && role !== "session"
}
