import type { ErrorKind } from "../canon/errors.ts"

/** The kind of failure that the request itself causes. */
export const REJECTED = "rejected_by_upstream"
/**
 * Kinds of failures after an upstream call. Requests with these failures have receipts, which are used to list and
 * count them.
 */
export const KINDS_OF_VENDORS: readonly ErrorKind[] = [
  REJECTED,
  "upstream_error",
  "upstream_overloaded",
  "upstream_timeout",
]
