import type { ReliabilityRow } from "tollgate-contract/usage.ts"

/** Returns the requests since a provider has been failing; all requests of the last 24 hours if it is not. */
export function failuresSince({ hours, failing_since: since }: ReliabilityRow): {
  readonly requests: number
  readonly failed: number
} {
  const counted = hours.filter(({ at }) => since === null || at >= since)
  return {
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    failed: counted.reduce((sum, { failed }) => sum + failed, 0),
  }
}
