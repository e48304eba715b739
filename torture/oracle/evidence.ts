import type { CallRecord, GrantRecord, VendorCall } from "../calls.ts"
import type { LedgerView } from "./ledger-view.ts"

/** All records from which a run is judged. */
export interface Evidence {
  readonly calls: readonly CallRecord[]
  readonly grants: readonly GrantRecord[]
  /** Returns the vendor's records of a call by the marker of the call. */
  readonly vendorCalls: (marker: string) => readonly VendorCall[]
  readonly ledger: LedgerView
}

/** A violation that was found. */
export interface Finding {
  /** A description of the violation. */
  readonly fault: string
  /** The call, with all known facts about it. */
  readonly call?: CallRecord
}

/** Returns all request ids in the responses of a call. */
export function requestIdsOf({ tries }: CallRecord): Set<string> {
  const ids = tries.flatMap(({ requestId, originalId }) => [requestId, originalId])
  return new Set(ids.filter((id) => id !== null))
}

/** Returns the charge for a request in nanocredits; null if it was not charged. */
export function chargeOf({ receipts }: LedgerView, request: string): bigint | null {
  const entry = receipts.get(request)?.entry
  return entry ? -entry.amount : null
}

/** Returns the amount of a request that was written off, in nanocredits. */
export function writtenOffOf({ receipts }: LedgerView, request: string): bigint {
  return (receipts.get(request)?.writtenOff ?? []).reduce((sum, { amount }) => sum + amount, 0n)
}
