/** The prompt and the answer of one request, of an account that has them stored. */
export interface ContentRecord {
  readonly request: string
  readonly account: string
  /** Unix milliseconds. */
  readonly at: number
  /** JSON. */
  readonly asked: string
  /** JSON; null if there was no answer, or if it is not text. */
  readonly answered: string | null
}

/** Prompts and answers of accounts that have them stored. */
export interface PayloadLog {
  keep(record: ContentRecord): Promise<void>
  find(request: string): Promise<ContentRecord | null>
  /** Deletes records from before a moment. */
  sweep(before: number): Promise<void>
}
