import type { Evidence, Finding } from "./evidence.ts"
import { judgeCalls } from "./judge-calls.ts"
import { judgeLedger } from "./judge-ledger.ts"

/**
 * Returns all violations. If there are none, no charge was lost or doubled, nothing was overspent, and no credits
 * remained held or leased.
 */
export function judge(evidence: Evidence): Finding[] {
  return [...judgeCalls(evidence), ...judgeLedger(evidence)]
}
