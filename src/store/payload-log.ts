/** The prompt and the response of one request, for accounts that store them. */
export interface ContentRecord {
  readonly request: string
  readonly account: string
  /** Time of the request in Unix milliseconds. */
  readonly at: number
  /** The prompt as JSON. */
  readonly asked: string
  /** The response as JSON; null if there was none, or if it is not text. */
  readonly answered: string | null
}

/** The prompts and responses of accounts that store them. */
export interface PayloadLog {
  keep(record: ContentRecord): Promise<void>
  find(request: string): Promise<ContentRecord | null>
  /** Deletes records that are older than a moment. */
  sweep(before: number): Promise<void>
}
