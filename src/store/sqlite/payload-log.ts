import { existsSync } from "node:fs"
import type { ContentRecord, PayloadLog } from "../payload-log.ts"
import { contentsPath } from "./log-file.ts"
import type { ReportsOnDemand } from "./reports-on-demand.ts"

/** The payload log in a file next to the ledger. It is written on the thread of the reports index. */
export class SqlitePayloadLog implements PayloadLog {
  readonly #path: string
  readonly #reports: ReportsOnDemand

  /** @param databasePath the path of the ledger. */
  constructor(databasePath: string, reports: ReportsOnDemand) {
    this.#path = contentsPath(databasePath)
    this.#reports = reports
  }

  async keep(record: ContentRecord): Promise<void> {
    await (await this.#reports.current()).payloads.keep(record)
  }

  async find(request: string): Promise<ContentRecord | null> {
    if (!existsSync(this.#path)) return null
    return (await this.#reports.current()).payloads.find(request)
  }

  /** Deletes records that are older than a moment. */
  async sweep(before: number): Promise<void> {
    if (existsSync(this.#path)) await (await this.#reports.current()).payloads.sweep(before)
  }
}
