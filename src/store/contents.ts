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
