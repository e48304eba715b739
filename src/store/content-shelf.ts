import { existsSync } from "node:fs"
import type { ContentRecord } from "./contents.ts"
import type { ReportsOnDemand } from "./reports-on-demand.ts"
import { contentsPath } from "./sqlite/contents.ts"

/** Prompts and answers of accounts that have them kept, written on the reports' thread. */
export class ContentShelf {
  readonly #path: string
  readonly #reports: ReportsOnDemand

  /** @param bookPath the book's. */
  constructor(bookPath: string, reports: ReportsOnDemand) {
    this.#path = contentsPath(bookPath)
    this.#reports = reports
  }

  async keep(record: ContentRecord): Promise<void> {
    await (await this.#reports.current()).contents.keep(record)
  }

  async find(request: string): Promise<ContentRecord | null> {
    if (!existsSync(this.#path)) return null
    return (await this.#reports.current()).contents.find(request)
  }

  /** Deletes what is older than a moment. */
  async sweep(before: number): Promise<void> {
    if (existsSync(this.#path)) await (await this.#reports.current()).contents.sweep(before)
  }
}
