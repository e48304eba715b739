import type { WriteOff } from "../accounting/chained-records.ts"
import type { HoldRecord } from "../store/settlements.ts"

/** Alarms for the operator. The methods must not throw. */
export interface LedgerAlarms {
  /** Called when a part of a cost was not charged. */
  writtenOff(request: string, writeOff: WriteOff): void
  /** Called when a request was charged although its process was considered dead and its hold had expired. */
  settledLate(request: string, charged: bigint): void
  /** Called when a request's process died and nothing was charged. */
  expired(hold: HoldRecord): void
  /** Called when writing to the ledger failed. */
  failed(error: unknown): void
}
