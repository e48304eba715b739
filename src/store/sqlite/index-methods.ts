import type { FailureLog } from "../failure-log.ts"
import type { PayloadLog } from "../payload-log.ts"
import type { RequestReports } from "../reports.ts"

/** The methods of the thread that maintains the reports index next to the ledger. */
export interface IndexMethods extends AsyncDisposable {
  readonly requests: RequestReports & {
    /**
     * Adds the next rows of the ledger to the index.
     * @returns whether there are more rows.
     */
    indexNext(): Promise<boolean>
  }
  readonly payloads: PayloadLog
  readonly failures: FailureLog
}
