/** Who pays, and with which key. */
export interface Payer {
  readonly account: string
  readonly key: string
  /** The owners of the budgets of the key, of its account and of the labels of a request in the current period. */
  readonly budgets: readonly string[]
  /** When it is valid: no hold is placed outside of it. Unix milliseconds, the end exclusive. */
  readonly from: number
  readonly until: number
}
