import type { CallRecord, GrantRecord, VendorCall } from "../calls.ts"
import type { LedgerView } from "./ledger-view.ts"

/** All that the oracle judges by. */
export interface Evidence {
  readonly calls: readonly CallRecord[]
  readonly grants: readonly GrantRecord[]
  /** What the vendor did, by the marker of the call. */
  readonly vendorCalls: (marker: string) => readonly VendorCall[]
  readonly ledger: LedgerView
}

/** Something that must not be. */
export interface Finding {
  /** What is wrong, in words. */
  readonly fault: string
  /** The call it concerns, with all that is known of it. */
  readonly call?: CallRecord
}

/** All ids of requests that a call's answers named. */
export function requestIdsOf({ tries }: CallRecord): Set<string> {
  const ids = tries.flatMap(({ requestId, originalId }) => [requestId, originalId])
  return new Set(ids.filter((id) => id !== null))
}

/** What a request cost its caller; null when it was not charged. Nanocredits. */
export function chargeOf({ receipts }: LedgerView, request: string): bigint | null {
  const entry = receipts.get(request)?.entry
  return entry ? -entry.amount : null
}

/** What was written off of a request. Nanocredits. */
export function writtenOffOf({ receipts }: LedgerView, request: string): bigint {
  return (receipts.get(request)?.writtenOff ?? []).reduce((sum, { amount }) => sum + amount, 0n)
}
