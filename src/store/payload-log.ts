/** What one request asked and was answered, of an account that has it kept. */
export interface ContentRecord {
  readonly request: string
  readonly account: string
  /** Unix milliseconds. */
  readonly at: number
  /** JSON. */
  readonly asked: string
  /** JSON; null where nothing was answered, or the answer is no text. */
  readonly answered: string | null
}

/** Prompts and answers of accounts that have them kept. */
export interface PayloadLog {
  keep(record: ContentRecord): Promise<void>
  find(request: string): Promise<ContentRecord | null>
  /** Deletes what is older than a moment. */
  sweep(before: number): Promise<void>
}
