import type { Evidence, Finding } from "./evidence.ts"
import { judgeCalls } from "./judge-calls.ts"
import { judgeLedger } from "./judge-ledger.ts"

/** Returns all violations. Empty: nothing was lost, doubled, overspent or left behind. */
export function judge(evidence: Evidence): Finding[] {
  return [...judgeCalls(evidence), ...judgeLedger(evidence)]
}
