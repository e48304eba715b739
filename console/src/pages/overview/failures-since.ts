import type { ReliabilityRow } from "tollgate-contract/usage.ts"

/** Counts requests since a provider started to fail, or in the last 24 hours if the provider is not failing. */
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
