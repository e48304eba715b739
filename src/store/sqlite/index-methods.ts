import type { PayloadLog } from "../payload-log.ts"
import type { RequestReports } from "../reports.ts"

/** What the thread of the index beside the ledger can do. */
export interface IndexMethods extends AsyncDisposable {
  readonly requests: RequestReports & {
    /** Takes some more of the ledger in. @returns whether there is more. */
    bringUp(): Promise<boolean>
  }
  readonly payloads: PayloadLog
}
