import type { FailureLog } from "../failure-log.ts"
import type { PayloadLog } from "../payload-log.ts"
import type { RequestReports } from "../reports.ts"

/** The methods of the thread that has the index next to the ledger. */
export interface IndexMethods extends AsyncDisposable {
  readonly requests: RequestReports & {
    /** Takes some more of the ledger in. @returns whether there is more. */
    bringUp(): Promise<boolean>
  }
  readonly payloads: PayloadLog
  readonly failures: FailureLog
}
